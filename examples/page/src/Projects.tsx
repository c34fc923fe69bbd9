import { useDeferredValue, useState } from 'react';
import { useQuery } from 'urql';
import { PROJECTS, type ProjectPage } from './documents.js';
import { Trouble } from './Trouble.js';

/** The user's projects, searched by part of their name, one page at a time. */
export function Projects() {
  const [search, setSearch] = useState('');
  const name = useDeferredValue(search.trim());
  return (
    <main>
      <label className="search">
        Find a project
        <input type="search" value={search} onChange={(event) => setSearch(event.target.value)} />
      </label>
      {/* A new search begins with its first page. */}
      <Pages key={name} name={name} />
    </main>
  );
}

function Pages({ name }: { name: string }) {
  const [cursors, setCursors] = useState<(string | null)[]>([null]);
  const last = cursors.length - 1;
  return (
    <>
      {cursors.map((after, index) => (
        <Page
          key={after}
          name={name}
          after={after}
          isFirst={index === 0}
          onMore={index === last ? (cursor) => setCursors([...cursors, cursor]) : undefined}
        />
      ))}
    </>
  );
}

interface PageProps {
  name: string;
  after: string | null;
  isFirst: boolean;
  onMore: ((cursor: string) => void) | undefined;
}

function Page({ name, after, isFirst, onMore }: PageProps) {
  const filter = name === '' ? null : { nameContains: name };
  const [{ data, error, fetching }, retry] = useQuery({ query: PROJECTS, variables: { after, filter } });
  const page = data?.projectsConnection;
  if (error) return <Trouble error={error} onRetry={() => retry({ requestPolicy: 'network-only' })} />;
  if (!page) return fetching ? <p>Loading…</p> : null;
  const { endCursor, hasNextPage } = page.pageInfo;
  return (
    <>
      {isFirst && <p role="status">{countText(page.totalCount)}</p>}
      <ul className="cards">
        {page.nodes.map((project) => (
          <Card key={project.id} project={project} />
        ))}
      </ul>
      {onMore && hasNextPage && endCursor && <button onClick={() => onMore(endCursor)}>Show more</button>}
    </>
  );
}

function Card({ project: { name, description, status } }: { project: ProjectPage['nodes'][number] }) {
  return (
    <li>
      <h2>{name}</h2>
      <p>{description || 'No description'}</p>
      {status !== null && status < 0 && <span className="tag">not loaded</span>}
    </li>
  );
}

function countText(count: number): string {
  return count === 1 ? '1 project' : `${count.toLocaleString()} projects`;
}
