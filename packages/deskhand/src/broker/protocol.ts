import type { LinkOptions } from '@deskhand/core/driver/wire'

const MEBIBYTE = 2 ** 20
const LARGEST_ANSWER = 64 * MEBIBYTE

/** Calls are small; answers may hold pictures. What can be asked is the model's table of methods. */
export const SERVER: LinkOptions = {
  protocol: { name: 'deskhand-broker', version: 2 },
  deadCode: 'NO_BROKER',
  maxFrameBytes: 4 * MEBIBYTE,
  maxSendBytes: LARGEST_ANSWER,
}
export const CLIENT: LinkOptions = { ...SERVER, maxFrameBytes: LARGEST_ANSWER }

/** Between a broker and the HTTP server that started it, over a stream that only the two have. Many callers share it, and some of them wait for a person. */
export const FRONT: LinkOptions = {
  protocol: { name: 'deskhand-front', version: 1 },
  deadCode: 'NO_BROKER',
  maxFrameBytes: LARGEST_ANSWER,
  maxHandled: 4_096,
  maxInFlight: 4_000,
}
