/** Dark text on light ground, with enough contrast to be read by people and by machines. */
export const COLOUR = {
  desktop: 0x3d5a73,
  window: 0xf6f6f6,
  border: 0xa0a0a0,
  title: 0x24425c,
  titleIdle: 0xd5dbe0,
  onTitle: 0xffffff,
  bar: 0xe6e8ea,
  text: 0x101010,
  muted: 0x6a6a6a,
  field: 0xffffff,
  button: 0xe2e6ea,
  pressed: 0xc2ccd6,
  selected: 0xcfe2f7,
  focus: 0x2a6fc9,
  link: 0x0b50b0,
  mark: 0x1a5fb4,
} as const
