/** A flat ODF spreadsheet. */
export function book(sheets: Record<string, readonly (readonly string[])[]>): string {
  const cell = (value: string): string =>
    /^\d+$/.test(value)
      ? `<table:table-cell office:value-type="float" office:value="${value}"><text:p>${value}</text:p></table:table-cell>`
      : `<table:table-cell office:value-type="string"><text:p>${value}</text:p></table:table-cell>`
  const tables = Object.entries(sheets).map(
    ([name, rows]) =>
      `<table:table table:name="${name}">${rows.map((row) => `<table:table-row>${row.length === 0 ? '<table:table-cell/>' : row.map(cell).join('')}</table:table-row>`).join('')}</table:table>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:body><office:spreadsheet>${tables.join('')}</office:spreadsheet></office:body></office:document>
`
}

/** What is written in the cells of a flat ODF spreadsheet, sheet by sheet, without the empty rest of rows and sheets. */
export function cellsOf(text: string): Record<string, string[][]> {
  const sheets: Record<string, string[][]> = {}
  for (const [, name = '', inside = ''] of text.matchAll(/<table:table table:name="([^"]*)"[^>]*>(.*?)<\/table:table>/gs)) {
    const rows: string[][] = []
    for (const [row, times = '1'] of inside.matchAll(
      /<table:table-row(?:[^>]*?number-rows-repeated="(\d+)")?[^>]*>.*?<\/table:table-row>/gs,
    )) {
      const cells = [...row.matchAll(/<table:table-cell(?:[^>]*\/>|.*?<\/table:table-cell>)/gs)].map(
        ([cell]) => /<text:p>(.*?)<\/text:p>/s.exec(cell)?.[1]?.replaceAll(/<[^>]*>/g, '') ?? '',
      )
      while (cells.at(-1) === '') cells.pop()
      for (let i = 0; i < Math.min(Number(times), 100); i++) rows.push(cells)
    }
    while (rows.at(-1)?.length === 0) rows.pop()
    sheets[name] = rows
  }
  return sheets
}
