/** Formats numbers by the codes of spreadsheet programs: `0.0%`, `yyyy-mm-dd`, `#,##0.00 [$€-407]`. */
export type FormatNumber = (value: number, code: string) => string

/**
 * Loads the formatter, which is part of a large library. Formats that cannot be understood fall back to the plain number. A format can hide a
 * value, such as zero: then nothing is displayed.
 * `is1904` shifts dates of workbooks that count days from 1904.
 */
export async function loadFormatter(is1904: boolean): Promise<FormatNumber> {
  const library = await import('@e965/xlsx')
  const ssf = library.SSF as { format(code: string, value: number, options: { date1904: boolean }): string }
  return (value, code) => {
    if (code === 'General' || code === '' || code === '@') return plainNumber(value)
    try {
      // Numbers round as their decimal digits say: 44.275 is stored as slightly less, and still becomes 44.28.
      const exact = Number.isInteger(value) ? value : value * (1 + 2 * Number.EPSILON)
      return ssf.format(code, exact, { date1904: is1904 }).trim()
    } catch {
      return plainNumber(value)
    }
  }
}

/** Up to 15 digits, as spreadsheet programs store them. */
export function plainNumber(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(15))) : String(value)
}

/** Formats that a workbook refers to by number alone. */
export const builtInFormats: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '$#,##0_);($#,##0)',
  6: '$#,##0_);[Red]($#,##0)',
  7: '$#,##0.00_);($#,##0.00)',
  8: '$#,##0.00_);[Red]($#,##0.00)',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd h:mm',
  37: '#,##0_);(#,##0)',
  38: '#,##0_);[Red](#,##0)',
  39: '#,##0.00_);(#,##0.00)',
  40: '#,##0.00_);[Red](#,##0.00)',
  41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)',
  42: '_($* #,##0_);_($* (#,##0);_($* "-"_);_(@_)',
  43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
  44: '_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
  49: '@',
}
