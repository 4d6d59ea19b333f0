import { Link } from 'wouter';

export function NotFound() {
  return (
    <section className="empty">
      <h1>There is no such page</h1>
      <p>
        <Link href="/">Machines</Link> lists what there is.
      </p>
    </section>
  );
}
