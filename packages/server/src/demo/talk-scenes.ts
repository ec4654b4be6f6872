import { markdownSample } from './markdown-sample.ts'
import { longAnswerText } from './long-answer-text.ts'
import type { DemoRequest } from './request.ts'
import { inLanguage, say } from './scene.ts'
import type { Scene } from './scene.ts'

export const think: Scene = {
  example: { en: 'Think about a puzzle', zh: '思考一个谜题' },
  shows: { en: 'reasoning before the answer', zh: '先推理，再回答' },
  matches: /\bthink|\breason|\bpuzzle|\briddle|思考|想一想|推理|谜题/,
  play(request) {
    const reasoning = inLanguage(request, {
      en: 'Six people, and each shakes hands once with each other.\n\nThe first has five hands to shake. The second has four left, since one is done. Then three, two, one, none.\n\nFive and four and three and two and one make fifteen. As a check: six times five is thirty, and each handshake was counted twice.',
      zh: '六个人，每两人握一次手。\n\n第一个人要握五次。第二个人剩四次，因为有一次已经握过。然后是三、二、一、零。\n\n五加四加三加二加一等于十五。验算：六乘五是三十，每次握手数了两遍。',
    })
    const answer = inLanguage(request, {
      en: 'Six people who all shake hands with each other shake **15** times: 6 · 5 / 2.',
      zh: '六个人两两握手，一共握 **15** 次：6 · 5 / 2。',
    })
    const { text, ...pace } = say(reasoning) as { text: string; chunks?: number[]; delayMs?: number }
    return [{ reasoning: text, ...pace }, say(answer)]
  },
}

export const longAnswer: Scene = {
  example: { en: 'Write a long answer with a table and code', zh: '写一个带表格和代码的长回答' },
  shows: { en: 'headings, a table, code in two languages', zh: '标题、表格、两种语言的代码' },
  matches: /\blong\b|\bessay\b|\barticle\b|\btable\b|\bcode\b|长回答|长文|长一点|表格|代码/,
  play: (request) => [say(longAnswerText[request.language])],
}

export const markdown: Scene = {
  example: { en: 'Show me Markdown', zh: '展示 Markdown' },
  shows: { en: 'every form of text that the page renders', zh: '页面能呈现的各种文本形式' },
  matches: /\bmarkdown\b|markdown|格式/,
  play: (request) => [say(markdownSample[request.language])],
}

const maxNumbers = 200

export const count: Scene = {
  example: { en: 'Count slowly to 30', zh: '慢慢数到 30' },
  shows: {
    en: 'a slow stream, for trying stop, reload and a second tab',
    zh: '缓慢的输出，可以试试停止、刷新和第二个标签页',
  },
  matches: /\bcount\b|数到|慢慢数|数数/,
  play(request) {
    const asked = Number(/\d+/.exec(request.text)?.[0] ?? 20)
    const last = Math.min(Math.max(asked, 1), maxNumbers)
    const [between, end] = request.language === 'zh' ? ['、', '。数完了。'] : [', ', '. Done.']
    const numbers = Array.from({ length: last }, (_, index) => `${index + 1}${index + 1 < last ? between : end}`)
    const items = [{ text: numbers.join(''), chunks: numbers.map(({ length }) => length), delayMs: 350 }]
    if (asked <= maxNumbers) return items
    const limit = inLanguage(request, {
      en: ` I stop at ${maxNumbers}; the script counts no further.`,
      zh: ` 我数到 ${maxNumbers} 为止，脚本不再往下数。`,
    })
    return [...items, say(limit)]
  },
}

const repeatForm =
  /^(?:please\s+)?(?:repeat|say)(?:\s+after\s+me)?\s*[:：,，]?\s+(.+)$|^(?:请)?(?:跟我说|重复一遍|重复|复述)\s*[:：,，]?\s*(.+)$/is

export const repeat: Scene = {
  example: { en: 'Repeat after me: the sea is calm today', zh: '跟我说：今天海面平静' },
  shows: { en: 'your own words back', zh: '原样说回您的话' },
  matches: repeatForm,
  play({ text }) {
    const said = repeatForm.exec(text)
    return [say(said?.[1] ?? said?.[2] ?? text)]
  },
}

export const summary: Scene = {
  example: { en: 'Summarise our conversation so far', zh: '总结我们到目前为止的对话' },
  shows: { en: 'that the whole conversation reaches the model', zh: '整个对话都会送到模型' },
  matches: /\bsummar|\brecap\b|so far\b|总结|概括|摘要/,
  play: (request) => [say(request.earlier.length === 0 ? nothingYet(request) : summarize(request))],
}

function nothingYet(request: DemoRequest): string {
  return inLanguage(request, { en: 'There is nothing before this message.', zh: '在这条消息之前还没有对话。' })
}

/** Counted, not understood: the first words of each message of the person. */
function summarize(request: DemoRequest): string {
  const asked = request.earlier.filter(({ role, text }) => role === 'user' && text !== '')
  const answers = request.earlier.filter(({ role }) => role === 'assistant')
  const calls = answers.reduce((sum, answer) => sum + answer.calls, 0)
  const characters = request.earlier.reduce((sum, { text }) => sum + text.length, 0)
  const head = inLanguage(request, {
    en: `Before this message: ${asked.length} from you, ${answers.length} steps of mine with ${calls} tool calls, ${characters} characters. You began with:`,
    zh: `在这条消息之前：您的消息 ${asked.length} 条，我的步骤 ${answers.length} 个，其中工具调用 ${calls} 次，共 ${characters} 个字符。您的消息开头是：`,
  })
  return [head, '', ...asked.map(({ text }, index) => `${index + 1}. ${firstWords(text)}`)].join('\n')
}

function firstWords(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const words = line.split(' ').slice(0, 8).join(' ')
  const short = words.slice(0, 60).toWellFormed()
  return short.length < line.length ? `${short} …` : short
}
