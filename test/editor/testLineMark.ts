/** What a line that the tests print in the editor's console begins with. */
export const testLineMark = '[test] ';
