import type { LateTexts } from '../en/settings.ts'

export const editingTexts: Pick<LateTexts, 'explain'> = {
  explain: {
    title: '解释工具调用',
    words: '为什么 决定 规则 解释 模拟 命令 路径 允许 拒绝 explain',
    about: '输入一个工具调用，查看由哪条规则决定。不会运行任何内容。',
    kind: '工具调用的类型',
    kinds: { command: '运行命令', read: '读取文件', write: '写入文件', url: '打开网址', tool: '任意工具' },
    call: '工具调用',
    examples: {
      command: 'npm test && git push',
      read: '.env',
      write: 'src/app.ts',
      url: 'https://example.com/docs',
      tool: 'Task {"agent": "explore", "prompt": "…"}',
    },
    explain: '解释',
    badCall: '请先写工具名称，再用 JSON 写它的输入。',
    byRule: '由此规则决定：',
    noRule: '没有匹配的规则。由模式和默认设置决定。',
    wouldAllow: '这些规则会允许它：',
    edit: '编辑',
  },
}
