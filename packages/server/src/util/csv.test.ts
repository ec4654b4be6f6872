import { describe, expect, it } from 'vitest'
import { csvLine } from './csv.ts'

describe('CSV', () => {
  it('quotes what would break a line', () => {
    expect(csvLine(['a', 'b,c', 'say "hi"', 'two\nlines', 3, null, undefined])).toBe(
      'a,"b,c","say ""hi""","two\nlines",3,,\r\n',
    )
  })

  it.each(['=1+1', '+1', '-2+3', '@SUM(A1)', '\t=1', '\r=1', ' =1', '\n=cmd|x'])('defuses the formula %j', (text) => {
    expect(csvLine([text])).toMatch(/^"?'/)
  })

  it('keeps numbers as numbers', () => {
    expect(csvLine([-1.5])).toBe('-1.5\r\n')
  })
})
