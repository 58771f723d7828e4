/** How a person wants to hear of a question: a sound, unless they turned it off, and a notification only if they agreed. */
export interface Attention {
  sound: boolean
  notification: boolean
}

const KEY = 'deskhand.attention'
const TONE_HZ = [660, 880]
const TONE_S = 0.16

export function attention(): Attention {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Attention>
    return { sound: kept.sound !== false, notification: kept.notification === true && isGranted() }
  } catch {
    return { sound: true, notification: false }
  }
}

/** Keeps the choice; a notification needs the browser's permission first. Returns what holds now. */
export async function chooseAttention(wanted: Attention): Promise<Attention> {
  const notification = wanted.notification && (isGranted() || (await Notification.requestPermission()) === 'granted')
  localStorage.setItem(KEY, JSON.stringify({ ...wanted, notification }))
  return attention()
}

/** Tells a person that a question waits. A browser plays no sound on a page that the person has not touched yet. */
export function callPerson(title: string, body: string): void {
  const { sound, notification } = attention()
  if (sound && navigator.userActivation.hasBeenActive) void play()
  if (!notification || document.hasFocus()) return
  const shown = new Notification(title, { body, tag: 'deskhand' })
  shown.addEventListener('click', () => {
    focus()
    shown.close()
  })
}

const isGranted = (): boolean => 'Notification' in globalThis && Notification.permission === 'granted'

async function play(): Promise<void> {
  const audio = new AudioContext()
  const loudness = new GainNode(audio, { gain: 0.06 })
  loudness.connect(audio.destination)
  for (const [i, frequency] of TONE_HZ.entries()) {
    const tone = new OscillatorNode(audio, { frequency })
    tone.connect(loudness)
    tone.start(audio.currentTime + i * TONE_S)
    tone.stop(audio.currentTime + (i + 1) * TONE_S)
  }
  await new Promise((resolve) => setTimeout(resolve, TONE_HZ.length * TONE_S * 1_000 + 100))
  await audio.close()
}
