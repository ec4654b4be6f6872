import type { ServerTextPairs } from '../../server-texts.ts'

/** Errors of queries. */
export const queries: ServerTextPairs = [
  ['Queries are not available here. Read the file, or use a command.', '此处无法查询。请读取文件或使用命令。'],
  ['{} is not a database file.', '{} 不是数据库文件。'],
  ['Put a space after "--", or use parentheses for a negative number.', '请在“--”后加空格，或将负数放入括号。'],
  ['Comments that the server runs ("/*! … */") are not allowed.', '不允许会被服务器执行的注释（“/*! … */”）。'],
  ['A comment is not closed. Add "*/".', '注释未结束，请添加“*/”。'],
  ['A name in brackets is not closed. Add "]".', '方括号中的名称未结束，请添加“]”。'],
  ['A text is not closed. Add {}.', '文本未结束，请添加 {}。'],
  [
    'Names and texts with Unicode escapes (U&"…") are not allowed. Write the characters themselves.',
    '不允许使用 Unicode 转义的名称和文本（U&"…"）。请直接写出字符。',
  ],
  [
    '{} is a database. Set "connection" to "{}" and query its tables.',
    '{} 是数据库。请将“connection”设为“{}”并查询其中的表。',
  ],
  ['"{}" matches more than {} files. Use a narrower pattern.', '“{}”匹配的文件超过 {} 个。请使用更具体的模式。'],
  ['No file matches "{}". Find files with Glob.', '没有文件匹配“{}”。请用 Glob 查找文件。'],
  ['The statement is empty.', '语句为空。'],
  ['The output must end with .csv, .xlsx or .parquet.', '输出文件必须以 .csv、.xlsx 或 .parquet 结尾。'],
  [
    'Files such as CSV are not changed in place. Set "output" to save the rows of a query to a file.',
    '不会直接更改 CSV 等文件。请设置“output”，将查询的行保存到文件。',
  ],
  ['The result is larger than 50 MB. Save fewer rows or columns.', '结果超过 50 MB。请保存较少的行或列。'],
]
