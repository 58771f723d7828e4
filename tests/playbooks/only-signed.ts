/** Only what this key signed may be typed, pressed or started; the rest is denied. */
export const onlySignedBy = (key: string): string =>
  ['"deny"\npriority = 800\nwhen = { ', `"allow"\npriority = 900\nwhen = { playbook = "${key}", `]
    .map((rule) => `[[rule]]\ntoolName = ["ui.click", "ui.type", "ui.key"]\ndecision = ${rule}risk = ["low", "medium", "high"] }\n`)
    .join('')
