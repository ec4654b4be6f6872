import { inLanguage, say } from './scene.ts'
import type { Scene } from './scene.ts'

/** Opens a page beside the chat, for the person to see. */
export const page: Scene = {
  example: { en: 'Open a page beside the chat', zh: '在旁边打开一个网页' },
  shows: { en: 'a page that your browser is asked to open (OpenUrl)', zh: '请浏览器打开一个网页（OpenUrl）' },
  matches: /\bopen\b.*\b(page|site|url|website)\b|\bbeside\b|打开.*(网页|网站|页面)/,
  tools: ['OpenUrl'],
  play(request) {
    const last = request.results.at(-1)
    if (last === undefined) {
      const opening = inLanguage(request, {
        en: 'I ask the page that you look at to open another one. ',
        zh: '我请您正在看的页面打开另一个网页。',
      })
      return [say(opening), { call: { name: 'OpenUrl', input: { url: 'example.com', title: 'Example' } } }]
    }
    const heard = last.error ?? (typeof last.output === 'string' ? last.output : JSON.stringify(last.output))
    const told = inLanguage(request, { en: 'Your page answered:', zh: '您的页面回答：' })
    return [say(`${told}\n\n> ${heard.replaceAll('\n', '\n> ')}`)]
  },
}
