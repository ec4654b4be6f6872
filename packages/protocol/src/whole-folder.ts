/** Instead of the ID of a project: the workspace itself. Apart from the schemas, which the page must not load. */
export const wholeFolder = 'folder'
