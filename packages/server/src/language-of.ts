import type { Session } from '@troupe/core'

/** Which of the languages that prompts are written in a text is in, as far as its script tells. */
export function detectLanguage(text: string): string | undefined {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0
  const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)
  return han > 0 && !kana && han * 3 >= letters ? 'zh' : undefined
}

/** The language of a session: its title follows the first message until the person renames it. */
export function sessionLanguage({ title }: Pick<Session, 'title'>): { language?: string } {
  const language = detectLanguage(title)
  return language === undefined ? {} : { language }
}
