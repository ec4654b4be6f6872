import type { Language } from './request.ts'

export const markdownSample: Record<Language, string> = {
  en: `# Heading one
## Heading two
### Heading three

Plain text with **bold**, *italic*, ~~struck~~, \`inline code\` and a [link](https://example.com). A line that ends here,
and its neighbour in the same paragraph. Symbols: © → ½ 🙂 你好.

- a list
  - with a level below
    - and one more
- [x] something done
- [ ] something to do

1. first
2. second
3. third

> A quotation
>
> > inside a quotation

| Left | Centre | Right |
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

HTML is shown as text or made harmless, never run: <b>bold?</b> <script>alert('never')</script>
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
