/** Check digits: what tells a card or a national id from any other number. */
export const CHECKS = {
  card: (text: string): boolean => {
    const number = digits(text)
    return number.length >= 13 && number.length <= 19 && !/^(\d)\1*$/.test(number) && luhn(number)
  },
  iban: (text: string): boolean => {
    const plain = text.replaceAll(' ', '')
    const turned = plain.slice(4) + plain.slice(0, 4)
    return (
      plain.length >= 15 &&
      plain.length <= 34 &&
      remainder(
        turned.replaceAll(/[A-Z]/g, (c) => String(c.charCodeAt(0) - 55)),
        97,
      ) === 1
    )
  },
  usSsn: (text: string): boolean => !/^(?:000|666|9)/.test(text) && !text.includes('-00-') && !text.endsWith('-0000'),
  frenchNir: (text: string): boolean => {
    const plain = text.replaceAll(' ', '').replace('2A', '19').replace('2B', '18')
    return plain.length === 15 && remainder(plain.slice(0, 13), 97) === 97 - Number(plain.slice(13))
  },
  spanishDni: (text: string): boolean => {
    const plain = text.replace('-', '').replace(/^[XYZ]/, (c) => String('XYZ'.indexOf(c)))
    return 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(plain.slice(0, 8)) % 23] === plain[8]
  },
  chineseId: (text: string): boolean => {
    const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
    const sum = weights.reduce((all, weight, i) => all + weight * Number(text[i]), 0)
    return '10X98765432'[sum % 11] === text[17]?.toUpperCase()
  },
  brazilianCpf: (text: string): boolean => {
    const number = digits(text)
    if (/^(\d)\1*$/.test(number)) return false
    return [9, 10].every((length) => {
      const sum = [...number.slice(0, length)].reduce((all, digit, i) => all + Number(digit) * (length + 1 - i), 0)
      return ((sum * 10) % 11) % 10 === Number(number[length])
    })
  },
  germanTaxId: (text: string): boolean => {
    const number = digits(text)
    let product = 10
    for (const digit of number.slice(0, 10)) product = (((Number(digit) + product) % 10 || 10) * 2) % 11
    return (11 - product) % 10 === Number(number[10])
  },
} as const satisfies Record<string, (text: string) => boolean>

export type CheckName = keyof typeof CHECKS

const digits = (text: string): string => text.replaceAll(/\D/g, '')

function luhn(number: string): boolean {
  let sum = 0
  for (let i = 0; i < number.length; i++) {
    const digit = Number(number[number.length - 1 - i])
    sum += i % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2
  }
  return sum % 10 === 0
}

/** The remainder of a number too long for arithmetic. */
function remainder(number: string, by: number): number {
  let rest = 0
  for (const digit of number) rest = (rest * 10 + Number(digit)) % by
  return rest
}
