import type { ServerTextPairs } from '../../server-texts.ts'

/** Agent descriptions and errors. */
export const agents: ServerTextPairs = [
  [
    'Uses websites in its own browser. Opens pages, clicks, types and extracts data.',
    '在自己的浏览器中使用网页：打开、查看、点击、输入、提取。',
  ],
  ['Views and organizes the calendar.', '查看并安排日历。'],
  [
    'Changes code and verifies the change. Reads, edits, and runs tests and commands.',
    '更改代码并验证：阅读、编辑、运行测试和命令。',
  ],
  [
    'Reads, writes and converts documents such as text, Markdown, Word, Excel, PowerPoint and PDF.',
    '阅读、撰写和转换文档：文本、Markdown、Word、Excel、PowerPoint、PDF。',
  ],
  ['Reads, sorts and drafts email. Never sends on its own.', '阅读、整理和起草电子邮件；不会自行发送。'],
  ['Searches and reads files to answer a question. Read-only.', '搜索和阅读文件以回答问题。只读。'],
  ['Understands the request, uses tools, delegates and answers.', '理解你的要求，使用工具，委派任务并回答。'],
  [
    'Studies the files and plans a task in small, verifiable steps. Read-only.',
    '研究文件，把任务规划为可检查的小步骤。只读。',
  ],
  ['Knows the project’s status, history, tasks and open questions.', '掌握项目概况：状态、历史、任务和待解决的问题。'],
  [
    'Works in the terminal. Runs commands, monitors long ones and explains their output.',
    '在终端中工作：运行命令、关注耗时的命令、解释输出。',
  ],
  ['Makes small widgets and previews, shown next to the chat.', '制作显示在会话旁边的小组件和预览。'],
  ['Turned off in the settings.', '已在设置中关闭。'],
  ['Unavailable: its tools ({}) do not exist yet. {}', '不可用：它的工具（{}）尚不存在。{2~}'],
  ['Unavailable: its tools ({}) do not exist yet.', '不可用：它的工具（{}）尚不存在。'],
  ['Overridden by the agent of the same name ({}).', '被同名智能体（{}）覆盖。'],
  ['These tools do not exist and are skipped: {}.', '以下工具不存在，已跳过：{}。'],
  [
    'The prompt has about {} tokens, which every model call pays for. Keep it below 2000.',
    '提示词约有 {} 个 token，每次模型调用都会计费。请控制在 2000 以内。',
  ],
  [
    'The model "{}" is a Claude Code name. The agent uses its caller\'s model instead.',
    '模型“{}”是 Claude Code 的名称。智能体会改用调用者的模型。',
  ],
  ['The agent "{}" is off. {}', '智能体“{}”已关闭。{2~}'],
  ['The user turned it off.', '你已将其关闭。'],
  ['The agent "{}" only works while one of these pages is open: {}.', '智能体“{}”只有在打开以下页面之一时可用：{}。'],
  [
    'You cannot delegate to the master agent: it is the one the user talks to.',
    '不能委派给主智能体：用户正是在与它对话。',
  ],
  ['There is no agent "{}".', '没有智能体“{}”。'],
  ['There is no agent "{}". Available agents: {}.', '没有智能体“{}”。可用的智能体：{}。'],
  ['There is no stored agent "{}" in this workspace.', '此工作区中没有保存智能体“{}”。'],
  [
    '"{}" is not a valid agent name. Use up to 64 letters, digits, "-" and "_".',
    '“{}”不是有效的智能体名称。请使用最多 64 个字母、数字、“-”和“_”。',
  ],
  [
    '"{}" is not a valid agent name. Use up to 64 letters, digits, "-" and "_"',
    '“{}”不是有效的智能体名称。请使用最多 64 个字母、数字、“-”和“_”',
  ],
  ['"{}" is the name of a built-in agent. Choose another name.', '“{}”是内置智能体的名称。请换一个名称。'],
  ['An agent named "{}" already exists.', '名为“{}”的智能体已存在。'],
  ['"{}" is too similar to the agent "{}".', '“{}”与智能体“{}”过于相似。'],
  [
    'The master agent cannot be changed here. Edit its prompt in Settings > Instructions, or make a copy and use that one.',
    '主智能体不能在此更改。请在“设置 > 指令”中编辑它的提示词，或创建副本并使用该副本。',
  ],
  [
    'The master agent cannot be changed, so this file has no effect. Rename it and use that agent.',
    '主智能体不能更改，因此此文件无效。请重命名，并使用该智能体。',
  ],
  [
    'Unknown tools or groups: {}. GET /ai/tools lists the available ones.',
    '未知的工具或分组：{}。GET /ai/tools 会列出可用的工具。',
  ],
  ['Unknown tools or groups: {}.', '未知的工具或分组：{}。'],
  ['Its stored definition is invalid: {}.', '它保存的定义无效：{}。'],
]
