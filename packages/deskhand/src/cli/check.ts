export interface Check {
  what: string
  ok: boolean
  detail: string
  fix?: string
}
