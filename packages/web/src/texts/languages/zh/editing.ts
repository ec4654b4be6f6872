import type { LateTexts } from '../en/settings.ts'

export const editingTexts: Pick<LateTexts, 'explain' | 'hookEditor'> = {
  explain: {
    title: '解释工具调用',
    words: '为什么 决定 规则 解释 模拟 命令 路径 允许 拒绝 explain',
    about: '输入一个工具调用，查看由哪条规则决定。不会运行任何内容。',
    kind: '工具调用的类型',
    kinds: { command: '运行命令', read: '读取文件', write: '写入文件', url: '打开网址', tool: '任意工具' },
    call: '工具调用',
    explain: '解释',
    badCall: '请先写工具名称，再用 JSON 写它的输入。',
    byRule: '由此规则决定：',
    noRule: '没有匹配的规则。由模式和默认设置决定。',
    wouldAllow: '这些规则会允许它：',
    edit: '编辑',
  },
  hookEditor: {
    add: '添加钩子',
    edit: '编辑钩子',
    scope: '位置',
    scopes: { home: '供你在所有文件夹中使用', project: '在此文件夹中，供信任它的所有人使用' },
    event: '时机',
    command: '命令',
    match: '仅用于这些工具调用（每行一条规则）',
    seconds: '超时（秒）',
    warning: '该命令以你的权限运行，没有沙箱。',
    off: '已关闭',
    turnOff: '关闭',
    turnOn: '开启',
    deleteTitle: '要删除此钩子吗？',
  },
}
