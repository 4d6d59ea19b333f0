/** All names under a title, in a list that scrolls, also by keyboard, if they are many; nothing without any. */
export function Names({ title, names }: { readonly title: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <>
      <p>{title}</p>
      <div className="names names-scroll" role="region" aria-label={title.replace(/:$/, '')} tabIndex={0}>
        <ul>
          {names.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      </div>
    </>
  );
}
