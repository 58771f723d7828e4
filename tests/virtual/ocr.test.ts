import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Frame } from '@deskhand/core/driver'
import { ctx, el, Hand, win } from './kit.ts'

/** Debian: tesseract-ocr, tesseract-ocr-deu, tesseract-ocr-chi-sim, tesseract-ocr-jpn, tesseract-ocr-kor. */
const LABELS: Record<string, string[]> = {
  eng: [
    'Save invoice',
    'Customer',
    'Delete account',
    'Open recent file',
    'Print preview',
    'Settings',
    'Search messages',
    'Log out',
    'New folder',
    'Last modified',
    'Total amount',
    'Shipping address',
    'Send',
    'Cancel',
    'Forward',
    'Attachment',
    'Help',
    'Page 3 of 12',
    'Cut',
    'Select all',
  ],
  deu: [
    'Grünwald GmbH',
    'Übersicht öffnen',
    'Größe ändern',
    'Schließen',
    'Empfänger',
    'Löschen',
    'Rückgängig',
    'Ausschneiden',
    'Einfügen',
    'Lautstärke',
    'Drucken',
    'Straße und Ort',
    'Zurücksetzen',
    'Gelöschte Einträge',
    'Prüfung läuft',
    'Menü',
    'Kürzel',
    'Höhe',
    'Äußeres',
    'Währung',
  ],
  chi_sim: [
    '保存文件',
    '打开文件',
    '删除',
    '设置',
    '用户名',
    '密码',
    '确定',
    '取消',
    '新建文件夹',
    '打印预览',
    '搜索',
    '帮助',
    '关闭窗口',
    '复制',
    '粘贴',
    '下载',
    '登录',
    '注册',
    '编辑',
    '历史记录',
  ],
  jpn: ['保存', 'ファイルを開く', '設定', '東京商事', '検索', '削除する', 'ログイン', '新しいフォルダ', '印刷', 'キャンセル'],
  kor: ['저장', '파일 열기', '설정', '삭제', '검색', '로그인', '취소', '새 폴더', '인쇄', '고객 이름'],
}

const installed = spawnSync('tesseract', ['--list-langs'], { encoding: 'utf8' }).stdout ?? ''
const ready = Object.keys(LABELS).every((language) => installed.split('\n').includes(language))

describe.skipIf(!ready && process.env['CI'] !== 'true')('what is drawn can be read', () => {
  test.each(Object.entries(LABELS))('labels and buttons in %s, at least 95 of 100', async (language, labels) => {
    const place = (i: number): [number, number, number, number] => [0.05 + 0.45 * (i % 2), 0.02 + Math.floor(i / 2) * 0.09, 0.35, 0.06]
    const parts = labels.map((label, i) => el(i % 2 ? 'button' : 'label', `l${i}`, label, { bounds_relative: place(i) }))
    const hand = new Hand([win('w', 'Test', parts, { bounds_relative: [0, 0, 1, 1] })], { width: 700, height: 560 })
    const { observe } = hand.driver
    const { id, ...shot } = await observe.capture({}, ctx)
    const read = readBack({ ...shot, data: await observe.render(id, { hide: [], as: 'rgba' }, ctx) }, language)
    const missed = labels.filter((label) => !read.includes(label.replaceAll(/\s/g, '')))
    expect(missed.length / labels.length, `missed ${missed.join(', ')} in ${read}`).toBeLessThanOrEqual(0.05)
  })
})

function readBack(frame: Frame, language: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'dh-ocr-'))
  try {
    const file = join(dir, 'screen.pgm')
    writeFileSync(file, upscale(frame, 2))
    return execFileSync('tesseract', [file, '-', '-l', language, '--psm', '11', '--dpi', '200'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).replaceAll(/\s/g, '')
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** Grey, `factor` times as large, smoothly. */
function upscale({ width, height, data }: Frame, factor: number): Buffer {
  const grey = (x: number, y: number): number => {
    const at = (Math.min(height - 1, y) * width + Math.min(width - 1, x)) * 4
    return (data[at] ?? 0) * 0.3 + (data[at + 1] ?? 0) * 0.59 + (data[at + 2] ?? 0) * 0.11
  }
  const [w, h] = [width * factor, height * factor]
  const out = Buffer.alloc(w * h)
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      const [x0, y0] = [Math.floor(x / factor), Math.floor(y / factor)]
      const [fx, fy] = [x / factor - x0, y / factor - y0]
      out[y * w + x] =
        (grey(x0, y0) * (1 - fx) + grey(x0 + 1, y0) * fx) * (1 - fy) + (grey(x0, y0 + 1) * (1 - fx) + grey(x0 + 1, y0 + 1) * fx) * fy
    }
  }
  return Buffer.concat([Buffer.from(`P5 ${w} ${h} 255\n`), out])
}
