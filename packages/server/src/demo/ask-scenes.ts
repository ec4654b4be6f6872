import { inLanguage, say } from './scene.ts'
import type { Scene } from './scene.ts'

export const question: Scene = {
  example: { en: 'Put a question to me', zh: '向我提一个问题' },
  shows: { en: 'a question with choices (AskUserQuestion)', zh: '带选项的问题（AskUserQuestion）' },
  matches: /\bquestions?\b|提问|提一个问题|问我/,
  tools: ['AskUserQuestion'],
  play(request) {
    const last = request.results.at(-1)
    if (last === undefined) {
      const [asked, header] = inLanguage(request, {
        en: 'Where shall the next trip go?|Trip',
        zh: '下一次旅行去哪里？|旅行',
      }).split('|') as [string, string]
      const options = inLanguage(request, {
        en: 'To the sea|Salt air and long walks;To the mountains|Clear lakes and steep paths;To a city|Museums and late trains',
        zh: '去海边|海风和长长的散步;去山里|清澈的湖和陡峭的小路;去城市|博物馆和末班车',
      })
        .split(';')
        .map((option) => {
          const [label, description] = option.split('|') as [string, string]
          return { label, description }
        })
      return [
        say(inLanguage(request, { en: 'This one only you can answer. ', zh: '这个问题只有您能回答。' })),
        {
          call: {
            name: 'AskUserQuestion',
            input: { questions: [{ question: asked, header, options, multiSelect: false }] },
          },
        },
      ]
    }
    if (last.error !== undefined) {
      const none = inLanguage(request, { en: 'You did not answer. I was told:', zh: '您没有回答。我收到的是：' })
      return [say(`${none} “${last.error}”`)]
    }
    const heard = inLanguage(request, { en: 'I read this:', zh: '我读到的是：' })
    const text = typeof last.output === 'string' ? last.output : JSON.stringify(last.output)
    return [say(`${heard}\n\n> ${text.replaceAll('\n', '\n> ')}`)]
  },
}

/** A command that only looks runs at once; one that writes waits for the person. */
export const command: Scene = {
  example: { en: 'Run two commands', zh: '运行两个命令' },
  shows: { en: 'what runs at once and what asks first (Bash)', zh: '哪些立即执行，哪些先询问（Bash）' },
  matches: /\bcommands?\b|\bshell\b|\bterminal\b|\bbash\b|命令|终端/,
  tools: ['Bash'],
  play(request) {
    const { results } = request
    if (results.length === 0) {
      return [
        say(
          inLanguage(request, {
            en: 'The first only looks, so nobody is asked. ',
            zh: '第一个只是查看，所以不用询问。',
          }),
        ),
        { call: { name: 'Bash', input: { command: 'ls -la | head -5', description: 'Look at the folder' } } },
      ]
    }
    if (results.length === 1) {
      const next = inLanguage(request, {
        en: 'The second makes a file, so it waits for you. ',
        zh: '第二个会创建文件，所以等您决定。',
      })
      const input = { command: 'echo "made by the demo" > troupe-demo.txt', description: 'Make troupe-demo.txt' }
      return [say(next), { call: { name: 'Bash', input } }]
    }
    const last = results.at(-1)
    return [
      say(
        last?.error === undefined
          ? inLanguage(request, {
              en: 'Done: `troupe-demo.txt` is in the folder. A change made by a command cannot be undone by me; delete the file when you like.',
              zh: '完成：`troupe-demo.txt` 已在文件夹里。命令所做的修改我无法撤销；您可以随时删除这个文件。',
            })
          : inLanguage(request, {
              en: `You did not approve, so nothing was made. I was told: “${last.error}”`,
              zh: `您没有批准，所以什么也没有创建。我收到的是：“${last.error}”`,
            }),
      ),
    ]
  },
}
