import type { ServerTextPairs } from '../../server-texts.ts'

/** Errors of queries. */
export const queries: ServerTextPairs = [
  ['The statement names no file to change.', '语句没有指明要更改的文件。'],
  ['Files above 50 MB are not changed in place. Use "output".', '超过 50 MB 的文件不会就地更改。请使用“output”。'],
  ['Files cannot be changed here.', '这里无法更改文件。'],
  ['The file would be larger than 50 MB. Change fewer rows.', '文件将超过 50 MB。请更改较少的行。'],
  ['Leave out RETURNING, and read the rows with Query.', '请去掉 RETURNING，用 Query 读取行。'],
  ['Only INSERT, UPDATE and DELETE can change a file.', '只有 INSERT、UPDATE 和 DELETE 可以更改文件。'],
  ['The file is not UTF-8, so it cannot be changed in place.', '文件不是 UTF-8，无法就地更改。'],
  ['Only lists of objects can be changed in place.', '只有对象列表可以就地更改。'],
  [
    'The rows of this file cannot be told apart in its text, so it cannot be changed in place. Save the rows of a query to a new file with "output".',
    '无法在文本中区分此文件的各行，因此无法就地更改。请用“output”把查询的行保存到新文件。',
  ],
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
