// Style sheets that the build puts beside a page.
declare module '*.css';
