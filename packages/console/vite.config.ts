import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Editors and the picture are parts of their own, which load when they are first shown. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  resolve: { conditions: ['@deskhand/source', 'browser', 'module', 'import', 'default'] },
  build: { outDir: 'dist', emptyOutDir: true, target: 'es2022', assetsInlineLimit: 0, reportCompressedSize: false },
  server: { host: '127.0.0.1' },
})
