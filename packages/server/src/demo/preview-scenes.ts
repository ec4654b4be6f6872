import { type DemoRequest, inLanguage, say, type Scene } from './scene.ts'

export const chart: Scene = {
  example: { en: 'Draw a chart', zh: '画一个图表' },
  shows: { en: 'a chart you can switch to a table (ChartRender)', zh: '也能看成表格的图表（ChartRender）' },
  promise: { icon: 'chart', en: 'As a chart or a table, and as a file to keep', zh: '可看图表或表格，也能保存为文件' },
  matches: /\bcharts?\b|\bplot\b|图表|柱状图|折线图/,
  tools: ['ChartRender'],
  play(request) {
    if (request.results.length === 0) {
      const [title, here, there] = inLanguage(request, {
        en: 'Rainfall in two cities (mm)|Kyoto|Lisbon',
        zh: '两座城市的降雨量（毫米）|京都|里斯本',
      }).split('|') as [string, string, string]
      const months = inLanguage(request, { en: 'Jan Mar May Jul Sep Nov', zh: '1月 3月 5月 7月 9月 11月' }).split(' ')
      const option = {
        tooltip: { trigger: 'axis' },
        legend: { data: [here, there] },
        xAxis: { type: 'category', data: months },
        yAxis: { type: 'value' },
        series: [
          { name: here, type: 'bar', data: [53, 113, 151, 216, 178, 74] },
          { name: there, type: 'line', data: [100, 53, 54, 4, 33, 128] },
        ],
      }
      return [{ call: { name: 'ChartRender', input: { title, option } } }]
    }
    return [
      say(
        failure(request) ??
          inLanguage(request, {
            en: 'Switch to the table, save the chart as an image, or open it in a panel.',
            zh: '你可以切换到表格、保存为图片，或在面板中打开。',
          }),
      ),
    ]
  },
}

export const form: Scene = {
  example: { en: 'Show me a form', zh: '给我看一个表单' },
  shows: { en: 'a form for you to fill in (JsonRender)', zh: '由你填写的表单（JsonRender）' },
  matches: /\bforms?\b|表单/,
  tools: ['JsonRender'],
  play(request) {
    const last = request.results.at(-1)
    if (last === undefined) return [{ call: { name: 'JsonRender', input: formInput(request) } }]
    const failed = failure(request)
    if (failed !== undefined) return [say(failed)]
    const { action, values } = Object(last.output) as { action?: string; values?: unknown }
    if (action !== 'submit') return [say(inLanguage(request, { en: 'You canceled the form.', zh: '你取消了表单。' }))]
    const heard = inLanguage(request, { en: 'You entered:', zh: '你填写的内容：' })
    return [say(`${heard}\n\n\`\`\`json\n${JSON.stringify(values, null, 2)}\n\`\`\``)]
  },
}

export const report: Scene = {
  example: { en: 'Make a small report', zh: '做一份小报告' },
  shows: { en: 'a page that builds as you watch (JsxCreate)', zh: '边生成边显示的页面（JsxCreate）' },
  matches: /\breports?\b|\bdashboard\b|报告|看板/,
  tools: ['JsxCreate'],
  play(request) {
    if (request.results.length === 0) {
      const source = inLanguage(request, reports)
      return [{ call: { name: 'JsxCreate', input: source, chunks: Math.ceil(source.length / 12), delayMs: 14 } }]
    }
    return [
      say(
        failure(request) ??
          inLanguage(request, {
            en: 'This page uses only safe, built-in components. It contains no code.',
            zh: '此页面只使用安全的内置组件，不含任何代码。',
          }),
      ),
    ]
  },
}

export const app: Scene = {
  example: { en: 'Build a small app', zh: '做一个小应用' },
  shows: { en: 'an app that runs in the chat (JsxCreate)', zh: '可在聊天中运行的小应用（JsxCreate）' },
  matches: /\b(?:small|little|mini) (?:app|tool)\b|\bcalculator\b|小应用|小工具|计算器/,
  tools: ['JsxCreate'],
  play(request) {
    if (request.results.length === 0) {
      const source = inLanguage(request, apps)
      return [{ call: { name: 'JsxCreate', input: source, chunks: Math.ceil(source.length / 24), delayMs: 14 } }]
    }
    return [
      say(
        failure(request) ??
          inLanguage(request, {
            en: 'Click **Run** to use it. It runs in a frame without network access.',
            zh: '点击 **运行** 即可使用。它在没有网络访问的框架中运行。',
          }),
      ),
    ]
  },
}

export const diagram: Scene = {
  example: { en: 'Draw a diagram', zh: '画一个流程图' },
  shows: { en: 'a diagram from a code block (Mermaid)', zh: '由代码块画出的流程图（Mermaid）' },
  matches: /\bdiagrams?\b|\bflow ?charts?\b|\bmermaid\b|流程图|示意图/,
  play(request) {
    const [asked, thinks, tool, answer] = inLanguage(request, {
      en: 'You ask|The model thinks|A tool runs|You read the answer',
      zh: '你提问|模型思考|工具运行|你读到回答',
    }).split('|') as [string, string, string, string]
    const text = `flowchart LR\n  ask[${asked}] --> think[${thinks}]\n  think --> tool[${tool}]\n  tool --> think\n  think --> answer[${answer}]`
    const said = inLanguage(request, { en: 'This is how a turn works:', zh: '一轮对话的过程：' })
    return [say(`${said}\n\n\`\`\`mermaid\n${text}\n\`\`\`\n`)]
  },
}

function failure(request: DemoRequest): string | undefined {
  const error = request.results.at(-1)?.error
  if (error === undefined) return undefined
  return `${inLanguage(request, { en: 'That didn’t work. The tool returned:', zh: '没有成功。工具返回：' })} “${error}”`
}

function formInput(request: DemoRequest) {
  const [title, who, days, where, sea, hills, city, book, leave, extras] = inLanguage(request, {
    en: 'Book a trip|Traveler|Days|Destination|Sea|Mountains|City|Book|Cancel|Window seat',
    zh: '预订旅行|旅客|天数|目的地|海边|山里|城市|预订|取消|靠窗座位',
  }).split('|') as [string, string, string, string, string, string, string, string, string, string]
  return {
    title,
    tree: {
      root: 'form',
      elements: {
        form: { type: 'Form', children: ['who', 'days', 'where', 'seat', 'buttons'] },
        who: { type: 'TextField', props: { name: 'who', label: who, required: true } },
        days: { type: 'Slider', props: { name: 'days', label: days, min: 1, max: 14 } },
        where: { type: 'Select', props: { name: 'where', label: where, options: [sea, hills, city] } },
        seat: { type: 'Checkbox', props: { name: 'window', label: extras } },
        buttons: { type: 'Row', children: ['book', 'leave'] },
        book: { type: 'Button', props: { label: book, action: 'submit' } },
        leave: { type: 'Button', props: { label: leave, action: 'cancel' } },
      },
    },
    data: { days: 3 },
  }
}

const apps = {
  en: billApp('Split the bill|Total|Tip|People|Each pays'),
  zh: billApp('分摊账单|总额|小费|人数|每人支付'),
}

function billApp(words: string): string {
  const [title, total, tip, people, each] = words.split('|')
  return `export default function App() {
  const [total, setTotal] = useState(84)
  const [tip, setTip] = useState(15)
  const [people, setPeople] = useState(3)
  const each = (total * (1 + tip / 100)) / Math.max(1, people)
  return (
    <main className="mx-auto max-w-md space-y-4 p-6">
      <h1 className="text-2xl font-bold">${title}</h1>
      <label className="block">${total}
        <input type="number" min="0" className="mt-1 w-full rounded border px-3 py-2" value={total} onChange={(event) => setTotal(Number(event.target.value))} />
      </label>
      <label className="block">${tip}: {tip}%
        <input type="range" min="0" max="30" className="mt-1 w-full" value={tip} onChange={(event) => setTip(Number(event.target.value))} />
      </label>
      <div className="flex items-center justify-between">
        <span>${people}</span>
        <span className="flex items-center gap-3">
          <button aria-label="−" className="rounded border p-2" onClick={() => setPeople(Math.max(1, people - 1))}><Minus className="h-4 w-4" /></button>
          <b>{people}</b>
          <button aria-label="+" className="rounded border p-2" onClick={() => setPeople(people + 1)}><Plus className="h-4 w-4" /></button>
        </span>
      </div>
      <p className="rounded-lg bg-teal-50 p-4 text-teal-900">${each}: <b className="text-2xl">{each.toFixed(2)}</b></p>
    </main>
  )
}`
}

const reports = {
  en: `<Card title="Week 12" subtitle="Weekly report">
  <Grid columns="3">
    <Stat label="Visits" value="1,204" change="+8%" tone="good" />
    <Stat label="Orders" value="86" change="+2%" tone="good" />
    <Stat label="Returns" value="7" change="+3" tone="bad" />
  </Grid>
  <Progress label="Monthly goal" value="68" max="100" />
  <Callout title="Highlight" tone="accent">Half of all visits came on <b>Tuesday</b>, after the newsletter.</Callout>
  <table>
    <thead><tr><th>Day</th><th>Visits</th></tr></thead>
    <tbody><tr><td>Monday</td><td>142</td></tr><tr><td>Tuesday</td><td>611</td></tr><tr><td>Wednesday</td><td>198</td></tr></tbody>
  </table>
  <Details summary="How we count">Once per visitor and day. These numbers are made up.</Details>
</Card>`,
  zh: `<Card title="第 12 周" subtitle="每周报告">
  <Grid columns="3">
    <Stat label="访问" value="1,204" change="+8%" tone="good" />
    <Stat label="订单" value="86" change="+2%" tone="good" />
    <Stat label="退货" value="7" change="+3" tone="bad" />
  </Grid>
  <Progress label="本月目标" value="68" max="100" />
  <Callout title="要点" tone="accent">一半的访问来自<b>星期二</b>，在通讯发出之后。</Callout>
  <table>
    <thead><tr><th>日期</th><th>访问</th></tr></thead>
    <tbody><tr><td>星期一</td><td>142</td></tr><tr><td>星期二</td><td>611</td></tr><tr><td>星期三</td><td>198</td></tr></tbody>
  </table>
  <Details summary="统计方法">每位访客每天一次。数字是虚构的。</Details>
</Card>`,
}

export const picture: Scene = {
  example: { en: 'Paint a picture of quiet hills', zh: '画一幅宁静山丘的画' },
  shows: { en: 'an image, after your approval (ImageGenerate)', zh: '在你批准后生成图片（ImageGenerate）' },
  matches: /\b(paint|draw)\b|(make|generate|create).*\b(picture|image)\b|画一|生成.*图片/,
  tools: ['ImageGenerate'],
  play(request) {
    const last = request.results.at(-1)
    if (!last)
      return [
        {
          call: { name: 'ImageGenerate', input: { prompt: request.text, aspect_ratio: '16:9', model: 'demo/painter' } },
        },
      ]
    if (last.error !== undefined)
      return [
        say(inLanguage(request, { en: `No image was created: ${last.error}`, zh: `没有生成图片：${last.error}` })),
      ]
    return [
      say(
        inLanguage(request, {
          en: 'The demo painter drew this. It’s a small program, not an AI. Connect a provider with an image model to generate real images.',
          zh: '这是演示画师画的。它只是一个小程序，不是 AI。连接有图片模型的提供商后，即可生成真正的图片。',
        }),
      ),
    ]
  },
}

export const page: Scene = {
  example: { en: 'Open a web page in a panel', zh: '在面板中打开一个网页' },
  shows: { en: 'a web page, opened in your browser (OpenUrl)', zh: '在你的浏览器中打开的网页（OpenUrl）' },
  matches: /\bopen\b.*\b(page|site|url|website)\b|\bbeside\b|打开.*(网页|网站|页面)/,
  tools: ['OpenUrl'],
  play(request) {
    const last = request.results.at(-1)
    if (last === undefined) {
      const opening = inLanguage(request, {
        en: 'Opening a web page for you. ',
        zh: '正在为你打开网页。',
      })
      return [say(opening), { call: { name: 'OpenUrl', input: { url: 'example.com', title: 'Example' } } }]
    }
    const heard = last.error ?? (typeof last.output === 'string' ? last.output : JSON.stringify(last.output))
    const told = inLanguage(request, { en: 'Your browser replied:', zh: '你的浏览器回复：' })
    return [say(`${told}\n\n> ${heard.replaceAll('\n', '\n> ')}`)]
  },
}
