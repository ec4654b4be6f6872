import { type DemoRequest, inLanguage, type Language, say, type Scene } from './scene.ts'

const longAnswerText: Record<Language, string> = {
  en: `# What happens between Enter and an answer

This text is part of a script. It's long on purpose: watch it arrive, scroll, stop it, reload the page or open a second tab. Everything it says about Troupe is true.

## The run is a log

When you press Enter, your message is saved first. Then a **run** starts. A run writes a log: every word, tool call and result is a numbered entry. This page reads that log, and so do the terminal and a second tab. None of them owns the run, so closing a tab doesn't end it.

## Who does what

| Part | Job | What you see |
|---|---|---|
| Store | keeps messages as a tree | editing and regenerating add branches, nothing is overwritten |
| Run log | numbers every entry | a reload continues where it was |
| Approvals | wait for you | a tool call that writes asks first |
| Tools | do the work | each tool call is a card with input and result |

## Reading the log yourself

Send the last number you have seen to get everything after it. In TypeScript, that's a few lines:

\`\`\`ts
const url = \`/ai/chat/\${sessionId}/stream?after=\${lastNumber}\`
const response = await fetch(url)

if (response.status === 204) {
  console.log('no run in progress')
} else {
  const text = response.body!.pipeThrough(new TextDecoderStream())
  for await (const piece of text) process.stdout.write(piece)
}
\`\`\`

The same in Python, using only the standard library:

\`\`\`python
import urllib.request

request = urllib.request.Request(
    f"http://127.0.0.1:4880/ai/chat/{session_id}/stream?after={last_number}",
    headers={"Authorization": f"Bearer {token}"},
)
with urllib.request.urlopen(request) as response:
    for line in response:
        print(line.decode(), end="")
\`\`\`

## What to try now

1. Press **Stop** while this is still arriving. The text so far is kept.
2. Reload the page. The answer continues.
3. Open the same chat in another tab. Both show the same.
4. Regenerate this answer and switch between the two with the arrows.

## In short

> The server owns the run, the log is the source of truth, and every window is a reader.
`,
  zh: `# 从按下回车到得到回答

这段文字是脚本的一部分。它有意写得很长，好让你看着它逐渐出现、滚动、停止、刷新页面，或者打开第二个标签页。其中关于工作区的说明都是真实的。

## 运行就是日志

按下回车后，你的消息会先被保存，然后才开始一次**运行**。运行会写日志：每个词、每次工具调用、每个结果都是一条有编号的记录。你正在看的页面只是这份日志的读者，终端和第二个标签页也是。它们都不拥有这次运行，所以关闭标签页不会让它结束。

## 谁负责什么

| 部分 | 职责 | 你会看到什么 |
|---|---|---|
| 存储 | 以树的形式保存消息 | 编辑和重新生成会产生分支，不会覆盖 |
| 运行日志 | 给每条记录编号 | 刷新后从原处继续 |
| 批准 | 等待你的决定 | 会写入的工具调用先征求同意 |
| 工具 | 完成工作 | 每次工具调用都是一张带输入和结果的卡片 |

## 自己读日志

发送你见过的最后一个编号，即可得到之后的全部内容。用 TypeScript 只需几行：

\`\`\`ts
const url = \`/ai/chat/\${sessionId}/stream?after=\${lastNumber}\`
const response = await fetch(url)

if (response.status === 204) {
  console.log('现在没有运行')
} else {
  const text = response.body!.pipeThrough(new TextDecoderStream())
  for await (const piece of text) process.stdout.write(piece)
}
\`\`\`

用 Python 的标准库也一样：

\`\`\`python
import urllib.request

request = urllib.request.Request(
    f"http://127.0.0.1:4880/ai/chat/{session_id}/stream?after={last_number}",
    headers={"Authorization": f"Bearer {token}"},
)
with urllib.request.urlopen(request) as response:
    for line in response:
        print(line.decode(), end="")
\`\`\`

## 现在可以试试

1. 在它还没写完时按**停止**：已经出现的内容会保留。
2. 刷新页面：回答会继续。
3. 在另一个标签页打开同一个会话：两边显示相同。
4. 重新生成这个回答，再用箭头在两个版本之间切换。

## 一句话

> 服务器拥有运行，日志是事实，每个窗口都只是读者。
`,
}

const markdownSample: Record<Language, string> = {
  en: `# Heading one
## Heading two
### Heading three

Plain text with **bold**, *italic*, ~~strikethrough~~, \`inline code\` and a [link](https://example.com). A line that ends here,
and the next one in the same paragraph. Symbols: © → ½ 🙂 你好.

- a list
  - with a nested level
    - and another
- [x] something done
- [ ] something to do

1. first
2. second
3. third

> A quotation
>
> > inside a quotation

| Left | Center | Right |
|:---|:---:|---:|
| a | b | 1 |
| a longer cell | \`code\` | 1,000 |

\`\`\`json
{ "language": "json", "list": [1, 2, 3] }
\`\`\`

\`\`\`diff
- an old line
+ a new line
\`\`\`

---

HTML is shown as text or sanitized, never run: <b>bold?</b> <script>alert('never')</script>
`,
  zh: `# 一级标题
## 二级标题
### 三级标题

普通文字，**粗体**、*斜体*、~~删除线~~、\`行内代码\`和[链接](https://example.com)。符号：© → ½ 🙂 hello。

- 列表
  - 下一层
    - 再下一层
- [x] 已完成
- [ ] 待完成

1. 第一
2. 第二
3. 第三

> 引用
>
> > 引用里的引用

| 左 | 中 | 右 |
|:---|:---:|---:|
| 甲 | 乙 | 1 |
| 长一点的单元格 | \`代码\` | 1,000 |

\`\`\`json
{ "语言": "json", "列表": [1, 2, 3] }
\`\`\`

\`\`\`diff
- 旧的一行
+ 新的一行
\`\`\`

---

HTML 会显示为文本或被清理，绝不会执行：<b>粗体？</b> <script>alert('never')</script>
`,
}

export const think: Scene = {
  example: { en: 'Think about a puzzle', zh: '思考一个谜题' },
  shows: { en: 'reasoning before the answer', zh: '先推理，再回答' },
  matches: /\bthink|\breason|\bpuzzle|\briddle|思考|想一想|推理|谜题/,
  play(request) {
    const reasoning = inLanguage(request, {
      en: 'Six people, and each pair shakes hands once.\n\nThe first person shakes five hands. The second has four left, since one is done. Then three, two, one, zero.\n\n5 + 4 + 3 + 2 + 1 = 15. To check: six times five is thirty, and that counts each handshake twice.',
      zh: '六个人，每两人握一次手。\n\n第一个人要握五次。第二个人剩四次，因为有一次已经握过。然后是三、二、一、零。\n\n五加四加三加二加一等于十五。验算：六乘五是三十，每次握手数了两遍。',
    })
    const answer = inLanguage(request, {
      en: 'If six people all shake hands with each other, that makes **15** handshakes: 6 · 5 / 2.',
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
  shows: { en: 'all the formatting the page supports', zh: '页面能呈现的各种文本形式' },
  matches: /\bmarkdown\b|markdown|格式/,
  play: (request) => [say(markdownSample[request.language])],
}

const maxNumbers = 200

export const count: Scene = {
  example: { en: 'Count slowly to 30', zh: '慢慢数到 30' },
  shows: {
    en: 'a slow stream, to try stop, reload and a second tab',
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
      en: ` I stop at ${maxNumbers}.`,
      zh: ` 我数到 ${maxNumbers} 为止。`,
    })
    return [...items, say(limit)]
  },
}

const repeatForm =
  /^(?:please\s+)?(?:repeat|say)(?:\s+after\s+me)?\s*[:：,，]?\s+(.+)$|^(?:请)?(?:跟我说|重复一遍|重复|复述)\s*[:：,，]?\s*(.+)$/is

export const repeat: Scene = {
  example: { en: 'Repeat after me: the sea is calm today', zh: '跟我说：今天海面平静' },
  shows: { en: 'your own words, repeated', zh: '原样说回你的话' },
  matches: repeatForm,
  play({ text }) {
    const said = repeatForm.exec(text)
    return [say(said?.[1] ?? said?.[2] ?? text)]
  },
}

export const summary: Scene = {
  example: { en: 'Summarize our conversation so far', zh: '总结我们到目前为止的对话' },
  shows: { en: 'the model gets the whole conversation', zh: '整个对话都会送到模型' },
  matches: /\bsummar|\brecap\b|so far\b|总结|概括|摘要/,
  play: (request) => [say(request.earlier.length === 0 ? nothingYet(request) : summarize(request))],
}

function nothingYet(request: DemoRequest): string {
  return inLanguage(request, { en: 'There are no earlier messages.', zh: '在这条消息之前还没有对话。' })
}

/** Counts instead of understanding: quotes the first words of each user message. */
function summarize(request: DemoRequest): string {
  const asked = request.earlier.filter(({ role, text }) => role === 'user' && text !== '')
  const answers = request.earlier.filter(({ role }) => role === 'assistant')
  const calls = answers.reduce((sum, answer) => sum + answer.calls, 0)
  const characters = request.earlier.reduce((sum, { text }) => sum + text.length, 0)
  const head = inLanguage(request, {
    en: `Your messages: ${asked.length}. My steps: ${answers.length}. Tool calls: ${calls}. Characters: ${characters}. You asked:`,
    zh: `在这条消息之前：你的消息 ${asked.length} 条，我的步骤 ${answers.length} 个，其中工具调用 ${calls} 次，共 ${characters} 个字符。你的消息：`,
  })
  return [head, '', ...asked.map(({ text }, index) => `${index + 1}. ${firstWords(text)}`)].join('\n')
}

function firstWords(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const words = line.split(' ').slice(0, 8).join(' ')
  const short = words.slice(0, 60).toWellFormed()
  return short.length < line.length ? `${short} …` : short
}
