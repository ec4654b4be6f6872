import type { OfficeAction } from '@troupe/core'
import type { Docx } from './document.ts'
import { addContents, addFootnote, setMargin } from './furniture.ts'
import { deleteBlocks, insert, moveBlocks, replaceText, styleBlocks } from './paragraphs.ts'
import { addComment, removeComments, reviewChanges } from './review.ts'
import { deleteTableRows, insertTableRows, setTableCells } from './tables.ts'

/** Applies one action. Returns false if it is not an action for documents. */
export function editDocx(docx: Docx, action: OfficeAction): boolean {
  switch (action.action) {
    case 'replace_text':
      replaceText(docx, action)
      return true
    case 'insert':
      insert(docx, action)
      return true
    case 'delete':
      deleteBlocks(docx, action)
      return true
    case 'move':
      moveBlocks(docx, action)
      return true
    case 'style':
      styleBlocks(docx, action)
      return true
    case 'set_table_cells':
      setTableCells(docx, action)
      return true
    case 'insert_table_rows':
      insertTableRows(docx, action)
      return true
    case 'delete_table_rows':
      deleteTableRows(docx, action)
      return true
    case 'set_header':
    case 'set_footer':
      setMargin(docx, action)
      return true
    case 'add_footnote':
      addFootnote(docx, action)
      return true
    case 'add_contents':
      addContents(docx, action)
      return true
    case 'add_comment':
      addComment(docx, action)
      return true
    case 'remove_comments':
      removeComments(docx, action)
      return true
    case 'review_changes':
      reviewChanges(docx, action)
      return true
    default:
      return false
  }
}
