import type { Language } from './request.ts'

export const longAnswerText: Record<Language, string> = {
  en: `# What happens between Enter and an answer

This text is part of a script. It is long on purpose, so that you can watch it arrive, scroll, stop it, reload the page or open a second tab. What it says about the workspace is true.

## The run is a log

When you press Enter, your message is stored before anything else happens. Then a **run** begins. A run writes a log: every word, every tool call and every result is one numbered entry. The page you are looking at is a reader of that log, and so are the terminal and a second tab. None of them owns the run, which is why closing a tab does not end it.

## Who does what

| Part | Duty | What you notice |
|---|---|---|
| Store | keeps messages as a tree | edit and regenerate make branches, nothing is overwritten |
| Run log | numbers every entry | a reload goes on where it was |
| Asks | waits for a person | a call that writes asks first |
| Tools | touch the world | each call is a card with input and result |

## Reading the log yourself

A subscriber names the last number it has seen and gets what came after. In TypeScript that is a few lines:

\`\`\`ts
const url = \`/ai/chat/\${sessionId}/stream?after=\${lastNumber}\`
const response = await fetch(url)

if (response.status === 204) {
  console.log('no run is going on')
} else {
  const text = response.body!.pipeThrough(new TextDecoderStream())
  for await (const piece of text) process.stdout.write(piece)
}
\`\`\`

The same from Python, with nothing but the standard library:

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

1. Press **stop** while this is still arriving: what came so far is kept.
2. Reload the page: the answer goes on.
3. Open the same session in another tab: both show the same.
4. Ask for this answer again and go back and forth between the two with the arrows.

## In short

> The server owns the run, the log is the truth, and every window is only a reader.
`,
  zh: `# 从按下回车到得到回答

这段文字是脚本的一部分。它有意写得很长，好让您看着它逐渐出现、滚动、停止、刷新页面，或者打开第二个标签页。其中关于工作区的说明都是真实的。

## 运行就是日志

按下回车后，您的消息会先被保存，然后才开始一次**运行**。运行会写日志：每个词、每次工具调用、每个结果都是一条有编号的记录。您正在看的页面只是这份日志的读者，终端和第二个标签页也是。它们都不拥有这次运行，所以关闭标签页不会让它结束。

## 谁负责什么

| 部分 | 职责 | 您会看到什么 |
|---|---|---|
| 存储 | 以树的形式保存消息 | 编辑和重新生成会产生分支，不会覆盖 |
| 运行日志 | 给每条记录编号 | 刷新后从原处继续 |
| 询问 | 等待人的决定 | 会写入的调用先征求同意 |
| 工具 | 接触外部世界 | 每次调用都是一张带输入和结果的卡片 |

## 自己读日志

订阅者说出自己见过的最后一个编号，就会得到之后的内容。用 TypeScript 只需几行：

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
