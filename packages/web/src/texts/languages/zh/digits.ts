export const digits = (number: number): string => number.toLocaleString('zh')
