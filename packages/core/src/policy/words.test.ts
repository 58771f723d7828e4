import { describe, expect, test } from 'vitest'
import { call, on, target } from '../../test/policy-samples.ts'
import { assess } from './risk.ts'
import { findWords, type WordKind } from './word-match.ts'
import { allWords, LANGUAGES } from './words.ts'

interface Sample {
  destructive: string[]
  committing: string[]
  paying: string[]
  paymentField: string[]
  /** Names that look or sound like one of these and are none. */
  harmless: string[]
}

const SAMPLES: Record<string, Sample> = {
  ru: {
    destructive: ['Удалить', 'УДАЛИТЬ ФАЙЛ', 'Очистить корзину', 'Не сохранять', 'Удалить навсегда…'],
    committing: ['Отправить', 'Подтвердить', 'Опубликовать запись'],
    paying: ['Оплатить', 'Купить сейчас', 'Оформить заказ'],
    paymentField: ['Номер карты', 'Номер счета'],
    harmless: ['Удалённый доступ', 'Отправитель', 'Перевести', 'Сохранить', 'Открыть', 'Покупатели', 'Карта сайта', 'Отправленные'],
  },
  pl: {
    destructive: ['Usuń', 'USUŃ KONTO', 'Opróżnij kosz', 'Nie zapisuj', 'Odinstaluj program'],
    committing: ['Wyślij', 'Zatwierdź', 'Opublikuj'],
    paying: ['Zapłać', 'Zaplac', 'Kup teraz', 'Wykonaj przelew'],
    paymentField: ['Numer karty', 'Numer rachunku'],
    harmless: ['Usunięte', 'Wysłane', 'Zapisz', 'Zakupy', 'Płatności', 'Anuluj', 'Otwórz', 'Kupujący'],
  },
  pt: {
    destructive: ['Excluir', 'Apagar tudo', 'Eliminar conta', 'Não salvar', 'Esvaziar lixeira'],
    committing: ['Enviar', 'Confirmar', 'Publicar agora'],
    paying: ['Pagar', 'Comprar agora', 'Finalizar compra'],
    paymentField: ['Número do cartão', 'Titular do cartão'],
    harmless: ['Excluídos', 'Enviados', 'Salvar', 'Cancelar', 'Pagamentos', 'Compras', 'Abrir', 'Remetente'],
  },
  nl: {
    destructive: ['Verwijderen', 'Account verwijderen', 'Prullenbak legen', 'Niet opslaan', 'Wissen'],
    committing: ['Verzenden', 'Bevestigen', 'Indienen'],
    paying: ['Betalen', 'Nu betalen', 'Bestelling plaatsen'],
    paymentField: ['Kaartnummer', 'Rekeningnummer'],
    harmless: ['Verwijderd', 'Verzonden', 'Opslaan', 'Annuleren', 'Betalingen', 'Boeken', 'Openen', 'Wissen und Bildung'],
  },
  it: {
    destructive: ['Elimina', 'Cancella tutto', 'Svuota cestino', 'Non salvare', 'Rimuovi account'],
    committing: ['Invia', 'Conferma', 'Pubblica'],
    paying: ['Paga ora', 'Acquista', 'Effettua bonifico'],
    paymentField: ['Numero della carta', 'Titolare della carta'],
    harmless: ['Eliminati', 'Inviati', 'Salva', 'Annulla', 'Pagamenti', 'Ordina per nome', 'Apri', 'Firma', 'Vice versa'],
  },
  tr: {
    destructive: ['Sil', 'SİL', 'Hesabı sil', 'KALDIR', 'Çöpü boşalt', 'Yeniden başlat'],
    committing: ['Gönder', 'GÖNDER', 'Onayla'],
    paying: ['Şimdi öde', 'Satın al', 'Öde'],
    paymentField: ['Kart numarası', 'KREDİ KARTI'],
    harmless: ['Silinenler', 'Gönderilenler', 'Kaydet', 'İptal', 'Ödemeler', 'Sat', 'Aç', 'Ode to Joy'],
  },
  ko: {
    destructive: ['삭제', '계정 삭제', '모두 삭제하기', '휴지통 비우기', '저장 안 함'],
    committing: ['보내기', '메일 전송', '승인'],
    paying: ['결제', '지금 결제하기', '구매하기', '송금'],
    paymentField: ['카드 번호', '계좌번호'],
    harmless: ['삭제됨', '내보내기', '보낸 편지함', '저장', '취소', '결제 내역', '구매자', '열기', '삭제 취소'],
  },
  ar: {
    destructive: ['حذف', 'احذف الحساب', 'إفراغ سلة المهملات', 'حـــذف', 'حَذْف', 'عدم الحفظ'],
    committing: ['إرسال', 'ارسال', 'تأكيد', 'نشر'],
    paying: ['ادفع الآن', 'شراء', 'تحويل الأموال'],
    paymentField: ['رقم البطاقة', 'رقم الحساب'],
    harmless: ['المحذوفات', 'المرسل', 'حفظ', 'إلغاء', 'المدفوعات', 'فتح', 'المشتريات'],
  },
  hi: {
    destructive: ['हटाएं', 'हटाएँ', 'खाता हटाएं', 'डिलीट करें', 'सेव न करें'],
    committing: ['भेजें', 'पुष्टि करें', 'सबमिट करें'],
    paying: ['भुगतान करें', 'अभी खरीदें', 'पैसे भेजें'],
    paymentField: ['कार्ड नंबर', 'खाता संख्या'],
    harmless: ['हटाए गए', 'भेजे गए', 'सहेजें', 'रद्द करें', 'भुगतान इतिहास', 'खोलें', 'भुज'],
  },
  symbols: {
    destructive: ['🗑', '🗑️', '🗑️ Recycle', '✕', ' ✖️ ', '❌'],
    committing: ['📤', '➤', '✅'],
    paying: ['💳', '💳 Weiter', '💸'],
    paymentField: [],
    harmless: ['😀', '5 × 3', '×', '🔍', '⚙️', '📁 Documents', '★', '☰', '✕ 3', 'C++', '<', '➕'],
  },
}

describe.each(Object.entries(SAMPLES))('words in %s', (_, { harmless, ...kinds }) => {
  for (const kind of ['destructive', 'committing', 'paying', 'paymentField'] as const satisfies readonly WordKind[])
    test(`${kind} names are told`, () => {
      for (const name of kinds[kind]) expect([name, findWords(name).has(kind)]).toEqual([name, true])
    })

  test('harmless neighbours are not', () => {
    for (const name of harmless) expect([name, [...findWords(name)]]).toEqual([name, []])
  })

  test('a press on one of them is no low risk any more', () => {
    const press = (name: string): string => assess(call('click', { targets: [target({ name, selector: 'role=button' })] }), on()).level
    for (const name of [...kinds.destructive, ...kinds.committing, ...kinds.paying]) expect([name, press(name)]).not.toEqual([name, 'low'])
    for (const name of harmless) expect([name, press(name)]).toEqual([name, 'low'])
  })
})

test('every file has words of every kind, none of them twice', () => {
  for (const [i, { harmless: _, ...kinds }] of allWords().entries()) {
    const words = Object.values(kinds).flat()
    expect([LANGUAGES[i], new Set(words).size]).toEqual([LANGUAGES[i], words.length])
    for (const [kind, list] of Object.entries(kinds))
      if (LANGUAGES[i] !== 'symbols') expect([LANGUAGES[i], kind, list.length > 0]).toEqual([LANGUAGES[i], kind, true])
  }
})
