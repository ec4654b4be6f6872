/** A number as lists show it, by the names that Word has for the formats. */
export function formatNumber(number: number, format: string): string {
  switch (format) {
    case 'lowerLetter':
      return letters(number)
    case 'upperLetter':
      return letters(number).toUpperCase()
    case 'lowerRoman':
      return roman(number).toLowerCase()
    case 'upperRoman':
      return roman(number)
    case 'decimalZero':
      return String(number).padStart(2, '0')
    default:
      return String(number)
  }
}

function letters(number: number): string {
  if (number < 1 || number > 780) return String(number)
  return String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.ceil(number / 26))
}

function roman(number: number): string {
  if (number < 1 || number > 3999) return String(number)
  const signs: [number, string][] = [
    [1000, 'M'],
    [900, 'CM'],
    [500, 'D'],
    [400, 'CD'],
    [100, 'C'],
    [90, 'XC'],
    [50, 'L'],
    [40, 'XL'],
    [10, 'X'],
    [9, 'IX'],
    [5, 'V'],
    [4, 'IV'],
    [1, 'I'],
  ]
  let left = number
  let text = ''
  for (const [amount, sign] of signs) for (; left >= amount; left -= amount) text += sign
  return text
}
