import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isCompositorUp } from '@deskhand/driver-linux'
import type { Starting } from './starting.ts'

/** Starts sway without a screen, and returns when it answers and shows one. It is display server and window manager in one. */
export async function compositor(on: Starting): Promise<void> {
  const { dir, env } = on.record
  const config = join(dir, 'sway.conf')
  writeFileSync(config, configOf(on.record))
  // sway refuses to be root, which it is only to the outside then.
  const asUser = process.getuid?.() === 0 ? [on.program('unshare'), '--user', '--map-user=1000', '--map-group=1000', '--'] : []
  on.start('sway', [...asUser, on.program('sway'), '--config', config], {
    env: {
      WLR_BACKENDS: 'headless',
      WLR_LIBINPUT_NO_DEVICES: '1',
      WLR_RENDERER: 'pixman',
      SWAYSOCK: env['DESKHAND_SWAYSOCK'] ?? '',
      HOME: dir,
    },
  })
  const run = env['XDG_RUNTIME_DIR'] ?? ''
  for (;;) {
    const name = readdirSync(run).find((file) => /^wayland-\d+$/.test(file))
    if (name !== undefined && (await isCompositorUp({ ...env, WAYLAND_DISPLAY: name }))) {
      env['WAYLAND_DISPLAY'] = on.record.display = name
      return on.save()
    }
    await on.pause(5)
  }
}

/** One screen, no keys of its own, windows that float and take the focus when they open, and no key that repeats into what nothing judged. */
const configOf = ({
  width,
  height,
}: {
  width: number
  height: number
}): string => `output HEADLESS-1 resolution ${width}x${height} position 0,0
input type:keyboard repeat_rate 0
xwayland disable
default_border normal
default_floating_border normal
floating_maximum_size -1 x -1
focus_follows_mouse no
focus_on_window_activation focus
for_window [app_id=".*"] floating enable
seat * hide_cursor 0
`
