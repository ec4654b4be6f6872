/** Places that an attempt aims at. */
export interface Target {
  /** A data file that the statement may read. */
  file: string
  /** Its folder, where nothing may be written. */
  folder: string
  /** A file outside, with a secret. */
  outside: string
  /** Folder outside, where nothing may be written. */
  outsideFolder: string
  /** An address on this machine that counts its visitors. */
  url: string
}

/** Statements for DuckDB that write, attach, load, read other files, change settings, or reach the network. */
export function duckdbAttempts({ file, folder, outside, outsideFolder, url }: Target): string[] {
  const writes = [folder, outsideFolder].flatMap((place) => [
    `copy (select 1) to '${place}/new.csv'`,
    `copy (select 1) to '${place}/new.parquet' (format parquet)`,
    `copy (select 1) to '${place}/new.csv' (use_tmp_file false)`,
    `export database '${place}/export'`,
    `attach '${place}/new.db' as other`,
    `explain analyze copy (select 1) to '${place}/new.csv'`,
    `select * from enable_logging(storage = 'file', storage_path = '${place}/log')`,
    `call enable_logging('QueryLog', storage = 'file', storage_path = '${place}/log')`,
    `select * from enable_profiling(save_location = '${place}/profile.json')`,
    `pragma enable_profiling = 'json'; pragma profiling_output = '${place}/profile.json'; select 1`,
    `set temp_directory = '${place}/spill'`,
    `set extension_directory = '${place}/extensions'`,
    `create table t as select 1; copy t to '${place}/new.csv'`,
    `with x as (select 1) select * from query('copy (select 1) to ''${place}/new.csv''')`,
    `from query('attach ''${place}/new.db'' as other')`,
    `select json_execute_serialized_sql(json_serialize_sql('select 1'))`,
    `pivot (select 1 a) on a using first(a); copy (select 1) to '${place}/new.csv'`,
  ])
  const overwrites = [
    `copy (select 1) to '${file}' (use_tmp_file false)`,
    `copy (select 1) to '${file}' (overwrite true)`,
    `begin transaction read only; copy (select 1) to '${file}' (use_tmp_file false)`,
    `insert into '${file}' values (1)`,
    `delete from "${file}"`,
  ]
  const reads = [
    `select * from '${outside}'`,
    `select * from read_csv('${outside}')`,
    `select * from read_text('${outside}')`,
    `select * from read_blob('${outside}')`,
    `select * from read_csv_auto(['${file}', '${outside}'])`,
    `select * from glob('${outsideFolder}/*')`,
    `select * from sniff_csv('${outside}')`,
    `select * from read_text('${folder}/../${outsideFolder.split('/').at(-1)}/secret.csv')`,
    `select * from read_text('file://${outside}')`,
    `select * from read_text('${folder}/link.csv')`,
    `select * from read_text('/proc/self/environ')`,
    `select * from read_text('/proc/self/fd/0')`,
    `select * from parquet_metadata('${outside}')`,
    `select * from read_json('${outside}')`,
    `create view v as select * from '${outside}'; from v`,
    `attach '${outside}' as other (read_only)`,
    `select getenv('HOME')`,
    `select content from read_text('~/.ssh/id_rsa')`,
    `prepare p as select * from '${outside}'; execute p`,
    `import database '${outsideFolder}'`,
  ]
  const network = [
    `select * from '${url}/data.csv'`,
    `select * from read_csv('${url}/data.csv')`,
    `select * from 's3://bucket/data.parquet'`,
    `attach '${url}/data.db' as other`,
    `install httpfs from '${url}'`,
    `install httpfs; load httpfs`,
    `load '${file}'`,
    `install postgres; attach 'host=127.0.0.1' as pg (type postgres)`,
    `create secret s (type s3, key_id 'a', secret 'b')`,
  ]
  const settings = [
    `set enable_external_access = true`,
    `reset enable_external_access; select 1`,
    `set global lock_configuration = false`,
    `set allowed_paths = ['${outside}']`,
    `set allowed_directories = ['/']`,
    `set autoload_known_extensions = true`,
    `pragma enable_external_access = true`,
    `use memory; set allowed_directories = ['/']`,
    `checkpoint`,
    `select write_log('x')`,
  ]
  return [...writes, ...overwrites, ...reads, ...network, ...settings]
}

export function sqliteAttempts({ folder, outside, outsideFolder }: Target): string[] {
  return [
    'insert into people values (9)',
    'update people set id = 9',
    'delete from people',
    'with x as (select 1) insert into people select 9',
    'with x as (select 1) delete from people',
    'create table t (a)',
    'create temp table t as select 1',
    'drop table people',
    'alter table people rename to p',
    'replace into people values (9)',
    `attach '${outside}' as other`,
    `attach '${folder}/new.db' as other`,
    `vacuum into '${outsideFolder}/copy.db'`,
    'vacuum',
    'reindex',
    'analyze',
    "select load_extension('x')",
    `select writefile('${folder}/new', 'x')`,
    `select readfile('${outside}')`,
    'pragma journal_mode = delete',
    'pragma writable_schema = on',
    'pragma query_only = off',
    'pragma user_version = 9',
    'select 1; delete from people',
    'begin; delete from people; commit',
    'savepoint a',
    'select * from pragma_journal_mode()',
    'select * from pragma_wal_checkpoint()',
    'explain delete from people',
    '/* select */ delete from people',
  ]
}

export function postgresAttempts({ outside, outsideFolder, url }: Target): string[] {
  const { port } = new URL(url)
  return [
    'insert into people values (9)',
    'update people set id = 9',
    'delete from people',
    'with x as (delete from people returning *) select * from x',
    'with x as (insert into people values (9) returning *) select * from x',
    'select * into copied from people',
    'create table t (a int)',
    'create temp table t (a int)',
    'drop table people',
    'truncate people',
    `copy people to '${outsideFolder}/new.csv'`,
    `copy people to program 'touch ${outsideFolder}/new'`,
    `copy people from '${outside}'`,
    `select pg_read_file('${outside}')`,
    `select "pg_read_file"('${outside}')`,
    `select pg_catalog.pg_read_file('${outside}')`,
    `select pg_read_binary_file('${outside}')`,
    `select pg_ls_dir('${outsideFolder}')`,
    `select lo_import('${outside}')`,
    `select lo_export(1, '${outsideFolder}/new')`,
    `select U&"pg\\005fread_file"('${outside}')`,
    `select query_to_xml('select pg_read_file(''${outside}'')', true, true, '')`,
    `do $$ begin delete from people; end $$`,
    'select 1; delete from people',
    'commit; delete from people',
    'rollback; begin; delete from people; commit',
    'set transaction read write',
    "select set_config('transaction_read_only', 'off', false)",
    'set session characteristics as transaction read write',
    `select dblink('host=127.0.0.1 port=${port}', 'select 1')`,
    'create extension dblink',
    `create function f() returns int language sql as 'select 1'`,
    'explain analyze delete from people',
    'explain (analyze) insert into people values (9)',
    "select nextval('people_seq')",
    "select setval('people_seq', 99)",
    'select pg_terminate_backend(pg_backend_pid())',
    'select pg_reload_conf()',
    'select * from people for update',
    'lock table people',
    'vacuum people',
    "notify channel, 'x'",
    "select pg_notify('channel', 'x')",
    'alter system set log_statement = all',
    'grant all on people to public',
    '/* a /* b */ delete from people; */ truncate people',
  ]
}

export function mysqlAttempts({ outside, outsideFolder }: Target): string[] {
  return [
    'insert into people values (9)',
    'update people set id = 9',
    'delete from people',
    'replace into people values (9)',
    'create table t (a int)',
    'create temporary table t (a int)',
    'drop table people',
    'truncate people',
    `select * from people into outfile '${outsideFolder}/new.csv'`,
    `select 1 into dumpfile '${outsideFolder}/new'`,
    'select 1 into @a',
    `select load_file('${outside}')`,
    `select \`load_file\`('${outside}')`,
    `load data infile '${outside}' into table people`,
    `load data local infile '${outside}' into table people`,
    '/*! delete from people */',
    'select 1 /*! into @a */',
    '/*M! delete from people */',
    'select 1; delete from people',
    'commit; delete from people',
    'set session transaction read write',
    'start transaction read write',
    'call p()',
    'do sleep(0)',
    'handler people open',
    'select * from people for update',
    "select get_lock('a', 1)",
    'kill 1',
    'flush tables',
    "install soname 'x'",
    'grant all on *.* to people',
    'explain analyze delete from people',
    'analyze delete from people',
    `prepare s from 'delete from people'`,
    'with x as (select 1) delete from people',
    "select '\\'; delete from people; -- '",
    'select 1 -- \n; delete from people',
    'lock tables people write',
  ]
}
