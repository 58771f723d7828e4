/** Colours as 0xrrggbb. Text keeps a contrast of at least 4.5 to what it stands on, so that people and machines can read it. */
export interface Theme {
  desktop: number
  window: number
  border: number
  title: number
  titleIdle: number
  bar: number
  text: number
  muted: number
  field: number
  edge: number
  button: number
  hover: number
  pressed: number
  selected: number
  track: number
  accent: number
  onAccent: number
  link: number
  /** How dark a shadow is, of 255. */
  shadow: number
}

/** How round controls are. */
export const RADIUS = 6

export const THEMES = {
  light: {
    desktop: 0xc5d0dc,
    window: 0xfcfcfd,
    border: 0xc3ccd6,
    title: 0xe9edf2,
    titleIdle: 0xf4f6f8,
    bar: 0xf1f4f7,
    text: 0x16191d,
    muted: 0x5f6975,
    field: 0xffffff,
    edge: 0xaab4c0,
    button: 0xf1f4f7,
    hover: 0xe3e9f0,
    pressed: 0xd3dce6,
    selected: 0xd6e4fb,
    track: 0xd3dbe4,
    accent: 0x2458c6,
    onAccent: 0xffffff,
    link: 0x1a4fc0,
    shadow: 60,
  },
  dark: {
    desktop: 0x0b0e13,
    window: 0x181c22,
    border: 0x3a424d,
    title: 0x262c35,
    titleIdle: 0x1d222a,
    bar: 0x20262e,
    text: 0xe8ecf1,
    muted: 0x98a2af,
    field: 0x10141a,
    edge: 0x4d5764,
    button: 0x29303a,
    hover: 0x343c48,
    pressed: 0x414b59,
    selected: 0x24406f,
    track: 0x3a424d,
    accent: 0x4c82f0,
    onAccent: 0x0b0e13,
    link: 0x8ab4ff,
    shadow: 150,
  },
} satisfies Record<string, Theme>

export type ThemeName = keyof typeof THEMES
