import type { ServerTextPairs } from '../../server-texts.ts'

/** Team mode: policy, limits, the database, moving a home. */
export const team: ServerTextPairs = [
  ['"{}" may set a limit.', '“{}”可能设置限制。'],
  ['"{}" may read a file as a time zone.', '“{}”可能把文件作为时区读取。'],
  ['The policy of the organization does not allow the tool {}.', '组织的策略不允许工具 {}。'],
  ['The policy of the organization does not allow requests to "{}".', '组织的策略不允许向“{}”发送请求。'],
  ['The policy of the organization does not allow the mode "{}".', '组织的策略不允许模式“{}”。'],
  ['The policy of the organization does not allow the model {}.', '组织的策略不允许模型 {}。'],
  ['The policy of the organization does not allow this server.', '组织的策略不允许此服务器。'],
  ['Your organization does not allow keys of your own.', '你的组织不允许使用自己的密钥。'],
  ['Another node continues this run.', '另一个节点正在继续此运行。'],
  ['Another server continues this run.', '另一台服务器正在继续此运行。'],
  [
    'The disk of the database server is full, so this was not saved. Tell the administrator.',
    '数据库服务器的磁盘已满，因此未保存。请告知管理员。',
  ],
  [
    'The database is read-only at the moment, so this was not saved. Try again in a moment.',
    '数据库目前为只读，因此未保存。请稍后重试。',
  ],
  ['The database is busy. Try again in a moment.', '数据库繁忙。请稍后重试。'],
  ['Ask an admin of your organization to raise it.', '请联系组织的管理员提高限额。'],
  ['A payload has at most {} bytes, and none of them is 0.', '内容最多 {} 字节，且不含值为 0 的字节。'],
  ['A channel is a lower-case name.', '通道须为小写名称。'],
  ['The blob was removed while it was read.', '读取期间文件已被删除。'],
  [
    'The database has the encoding {}. Create one with the encoding UTF8.',
    '数据库的编码为 {}。请使用编码 UTF8 创建数据库。',
  ],
  ['The connection was lost before.', '连接此前已断开。'],
  ['{} already has data (table {}). Choose an empty one.', '{} 中已有数据（表 {}）。请选择空的数据库。'],
  [
    'The table {} has {} rows, but {} arrived, or some differ. Nothing was changed.',
    '表 {} 有 {} 行，但收到 {} 行，或部分内容不同。未作任何更改。',
  ],
  ['{} has no database.', '{} 中没有数据库。'],
  ['Postgres has no place for these tables: {}.', 'Postgres 中没有这些表：{}。'],
  ['{} exists already. Choose another folder.', '{} 已存在。请选择其他文件夹。'],
  [
    'The folder {} exists on several disks of the team. A home can hold only one of them.',
    '文件夹 {} 存在于团队的多个磁盘上，一个主目录只能包含其中一个。',
  ],
  [
    'The file {} in blobs is damaged. Move it elsewhere, then try again.',
    'blobs 中的文件 {} 已损坏。请将其移走后重试。',
  ],
  ['The audit log is append-only.', '审计日志只能追加。'],
  ['The stream was cut off.', '数据流被中断。'],
  [
    'Set TROUPE_DATABASE_URL, or TROUPE_DATABASE_URL_FILE to a file with the URL.',
    '请设置 TROUPE_DATABASE_URL，或将 TROUPE_DATABASE_URL_FILE 设为包含该地址的文件。',
  ],
  [
    'The chats are in a Postgres database. Back it up with scripts/backup.sh.',
    '会话保存在 Postgres 数据库中。请使用 scripts/backup.sh 备份。',
  ],
  ['team isolation', '团队隔离'],
  ['team mode would not start here: {}', '团队模式无法在此启动：{}'],
  ['a string has no end', '字符串没有结尾'],
  ['its id is taken', '其 ID 已被占用'],
  ['"{}" is not one of your folders.', '“{}”不是你的文件夹。'],
  ['Commands have no network on this server. Tell the user.', '此服务器上的命令没有网络。请告知用户。'],
]
