import { type SqlDialect, type SqlToken, sqlTokens } from '@troupe/core'

type Dialect = Exclude<SqlDialect, 'duckdb'>

/**
 * Returns the statement without what follows it. Throws an Error for the model unless it is one statement that reads,
 * as far as its words tell. The database enforces the same once more.
 */
export function checkReads(sql: string, dialect: Dialect): string {
  const { tokens, text } = oneStatement(sql, dialect)
  const first = tokens.find(({ text: one }) => one !== '(')
  if (first?.kind !== 'word' || !readWords[dialect].has(first.text))
    throw new Error(
      `Only statements that read are allowed here: ${[...readWords[dialect]].join(', ').toUpperCase()}. Use QueryWrite for changes.`,
    )
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'word' && isRefused(token, tokens[index + 1], first.text))
      throw new Error(
        `"${token.text.toUpperCase()}" is not allowed in a statement that reads. Quote it if it is a name.`,
      )
    if (/word|identifier/.test(token.kind) && refusedTables[dialect]?.test(token.text.toLowerCase()) === true)
      throw new Error(`"${token.text}" shows files or passwords of the server and is not available.`)
    checkFunction(token, tokens[index + 1], dialect)
  }
  return text
}

/** Views that read configuration files of the server, or that hold the hashes of passwords. */
const refusedTables: Partial<Record<Dialect, RegExp>> = {
  postgres: /^(pg_hba_file_rules|pg_ident_file_mappings|pg_file_settings|pg_authid|pg_shadow)$/,
  mysql: /^(global_priv|authentication_string)$/,
}

/** Returns one statement that changes data or tables. Throws an Error for the model. */
export function checkWrites(sql: string, dialect: Dialect): string {
  const { tokens, text } = oneStatement(sql, dialect)
  const first = tokens[0]
  if (first?.kind !== 'word' || !writeWords.has(first.text))
    throw new Error(`Only ${[...writeWords].join(', ').toUpperCase()} are allowed here. Use Query to read.`)
  const intoFile = tokens.find(({ kind, text: word }) => kind === 'word' && /^(outfile|dumpfile|program)$/.test(word))
  if (intoFile !== undefined) throw new Error(`"${intoFile.text.toUpperCase()}" is not allowed.`)
  for (const [index, token] of tokens.entries()) checkFunction(token, tokens[index + 1], dialect)
  return text
}

const maxSql = 100_000

function oneStatement(sql: string, dialect: Dialect): { tokens: SqlToken[]; text: string } {
  if (sql.length > maxSql) throw new Error('The statement is too long. Split it.')
  if (sql.includes('\0')) throw new Error('The statement contains a NUL character. Remove it.')
  const tokens = sqlTokens(sql, dialect)
  const end = tokens.findIndex(({ kind, text }) => kind === 'symbol' && text === ';')
  if (end !== -1 && tokens.slice(end).some(({ text, kind }) => kind !== 'symbol' || text !== ';'))
    throw new Error('Give exactly one statement.')
  const own = end === -1 ? tokens : tokens.slice(0, end)
  const last = own.at(-1)
  if (last === undefined) throw new Error('The statement is empty.')
  return { tokens: own, text: sql.slice(own[0]?.start ?? 0, last.end) }
}

const readWords: Record<Dialect, ReadonlySet<string>> = {
  sqlite: new Set(['select', 'with', 'values', 'explain']),
  postgres: new Set(['select', 'with', 'values', 'table', 'show', 'explain']),
  mysql: new Set(['select', 'with', 'values', 'table', 'show', 'describe', 'desc', 'explain']),
}

const writeWords = new Set([
  'insert',
  'update',
  'delete',
  'replace',
  'with',
  'merge',
  'create',
  'alter',
  'drop',
  'truncate',
])

/** Words that make a statement write, lock rows, or write files. */
const refusedWords = new Set(['insert', 'update', 'delete', 'merge', 'into', 'outfile', 'dumpfile'])

function isRefused({ text }: SqlToken, next: SqlToken | undefined, first: string): boolean {
  // `insert(…)` and `replace(…)` are functions of MySQL.
  if (text === 'insert' && next?.text === '(') return false
  if (text === 'lock' && next?.text === 'in') return true
  if (first === 'explain' && /^analy[sz]e$/.test(text)) return true
  return refusedWords.has(text)
}

/**
 * Functions that read files, reach other servers, run text as SQL, change settings, or act on other sessions. A
 * read-only transaction does not stop them.
 */
const refusedFunctions: Record<Dialect, RegExp> = {
  sqlite: /^(load_extension|readfile|writefile|edit|fts3_tokenizer)$/,
  postgres:
    /^(set_config|nextval|setval|dblink.*|postgres_fdw.*|lo_.*|loread|lowrite|pg_read_.*|pg_ls_.*|pg_stat_file|pg_file_.*|pg_logdir_ls|pg_terminate_backend|pg_cancel_backend|pg_reload_conf|pg_rotate_logfile.*|pg_promote|pg_switch_wal|pg_create_.*|pg_drop_.*|pg_copy_.*|pg_logical.*|pg_replication.*|pg_export_snapshot|pg_notify|pg_advisory.*|pg_try_advisory.*|pg_backup.*|pg_start_backup|pg_stop_backup|pg_wal_replay.*|pg_stat_reset.*|pg_log_backend.*|pg_import_.*|pg_restore_.*|pg_clear_.*|pg_sync_replication.*|brin_.*|gin_clean_pending_list|query_to_.*|cursor_to_.*|table_to_.*|schema_to_.*|database_to_.*|ts_stat|ts_rewrite|crosstab.*|connectby|xpath_table|pg_current_logfile|pg_hba_file_rules|pg_show_all_file_settings|pg_extension_config_dump|binary_upgrade.*|amcheck.*|bt_index.*|pg_buffercache.*|pg_prewarm|http.*|plpy.*|plperl.*)$/,
  mysql:
    /^(load_file|get_lock|release_lock|release_all_locks|is_free_lock|is_used_lock|master_pos_wait|source_pos_wait|master_gtid_wait|sys_exec|sys_eval|sys_get|sys_set|benchmark|nextval|setval|lastval|wait_for_executed_gtid_set|ps_kill|keyring_.*|asynchronous_connection.*|group_replication.*)$/,
}

function checkFunction({ kind, text }: SqlToken, next: SqlToken | undefined, dialect: Dialect): void {
  if ((kind !== 'word' && kind !== 'identifier') || next?.text !== '(' || next.kind !== 'symbol') return
  if (refusedFunctions[dialect].test(text.toLowerCase())) throw new Error(`The function "${text}" is not available.`)
}
