import { expect, test } from 'vitest'
import { escapeCsvFormulas } from './csv-formulas.ts'

test('cells that look like formulas get an apostrophe, numbers and text stay', () => {
  const csv = '=1+1,"=HYPERLINK(""x"")",-5,+3.5,-cmd,@a,"a,=b",a=b\n=x,"line\n=y"\n'
  expect(escapeCsvFormulas(csv)).toEqual({
    text: `'=1+1,"'=HYPERLINK(""x"")",-5,+3.5,'-cmd,'@a,"a,=b",a=b\n'=x,"line\n=y"\n`,
    count: 5,
  })
})
