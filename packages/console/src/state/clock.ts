// Made once: `toLocaleTimeString` makes one anew for every row that is scrolled into view.
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })

/** The time of the day, to the second. */
export const clock = (time: string): string => CLOCK.format(new Date(time))

/** The day, with its year. */
export const day = (time: string): string => DAY.format(new Date(time))

/** The day and the time of the day. */
export const moment = (time: string): string => `${day(time)}, ${clock(time)}`
