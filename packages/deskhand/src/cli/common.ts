/** Options that stand before every command. */
export interface Common {
  config?: string
  name?: string
}
