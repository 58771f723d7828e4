export { VNCViewer, type VNCViewerProps } from './vnc-viewer.tsx'
