/** Files that the build puts into the page as text. */
declare module '*.csv' {
  const text: string;
  export default text;
}
