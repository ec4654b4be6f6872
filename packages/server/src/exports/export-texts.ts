import { en, type ExportTexts } from './languages/en.ts'
import { zh } from './languages/zh.ts'

const languages = [en, zh]

/** The words of an exported file in a language, `zh` or `zh-CN`; English where there are none in it. */
export function exportTexts(tag = 'en'): ExportTexts {
  const [wanted] = tag.toLowerCase().split('-')
  return languages.find((texts) => texts.tag === wanted) ?? en
}
