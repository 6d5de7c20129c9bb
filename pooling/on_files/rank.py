"""`assize rank`: a baseline run from topics and documents alone."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from config.arguments import Parser
from pooling.arguments import add_model, model_of
from pooling.core import baseline
from pooling.core.document_spec import DocumentSpec
from pooling.core.documents import read_documents
from pooling.core.findings import Report
from pooling.core.packed import Unpackable
from pooling.core.runs import write_run
from pooling.core.text import Texts
from pooling.core.topics import TopicSpec, read_topics
from pooling.on_files._reading import Stop, say, tell, unpack

HELP = "Rank documents for topics by BM25 or tf-idf: a run to begin with, on stdout."


def parser() -> argparse.ArgumentParser:
    made = Parser("assize rank", description=HELP)
    made.add_argument("topics", metavar="TOPICS", help="a file of topics in any form, packed or not")
    made.add_argument("documents", metavar="DOCUMENTS", nargs="+", help="files of documents in any form, packed or not")
    made.add_argument(
        "--language", default="", metavar="TAG", help="of documents and topics that name none, such as de; English"
    )
    made.add_argument("--numbering", choices=("given", "running"), default="given", help="of the topics; running: 1, 2, 3 …")
    add_model(made)
    return made


def main(argv: list[str]) -> int:
    made = parser()
    options = made.parse_args(argv)
    try:
        model = model_of(vars(options))
    except ValueError as error:
        made.error(str(error))
    try:
        topics = _topics(options)
        texts = Texts.of(
            (one.docno, f"{one.title}\n{one.text}", one.lang or options.language)
            for name in options.documents
            for one in _documents(name)
        )
        queries = [(one.number, baseline.query_of(one.texts, model.fields, one.language or options.language)) for one in topics]
        run = baseline.rank(texts, queries, model)
    except Stop as stop:
        say(f"Error: {stop}")
        return 1
    empty = len(queries) - len(run.topics)
    if empty:
        say(f"note: no document has a word of {'1 topic' if empty == 1 else f'{empty:,} topics'}; no lines for it")
    sys.stdout.buffer.write(write_run(run))
    return 0


def _topics(options: argparse.Namespace) -> list[TopicSpec]:
    topics, report = read_topics(unpack(options.topics), numbering=options.numbering)
    if not report.ok:
        tell(options.topics, report)
        raise Stop(f"The topics of {options.topics} cannot be used.")
    return topics


def _documents(name: str) -> Iterator[DocumentSpec]:
    report = Report()
    try:
        with Path(name).open("rb") as file:
            for chunk in read_documents(file, report, name=name):
                yield from chunk
    except OSError as error:
        raise Stop(f"{name}: {error.strerror}.") from error
    except Unpackable as error:
        raise Stop(f"{name}: {error}") from error
    if not report.ok:
        tell(name, report)
        raise Stop(f"The documents of {name} cannot be used.")
