import type { AnyDb } from '../sql/context.ts'

/** Each dialect fills it from the stored answers. */
export async function up(db: AnyDb): Promise<void> {
  await db.schema
    .createTable('usage')
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('folder', 'text', (c) => c.notNull())
    .addColumn('calls', 'bigint', (c) => c.notNull())
    .addColumn('input_tokens', 'bigint', (c) => c.notNull())
    .addColumn('cached_tokens', 'bigint', (c) => c.notNull())
    .addColumn('output_tokens', 'bigint', (c) => c.notNull())
    .addColumn('cost', 'real', (c) => c.notNull())
    .addColumn('unpriced_tokens', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_key', ['day', 'model', 'folder'])
    .execute()
}
