// Made once: `toLocaleTimeString` makes one anew for every row that is scrolled into view.
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** The time of the day, to the second. */
export const clock = (time: string): string => CLOCK.format(new Date(time))
