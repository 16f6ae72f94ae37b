"""The commands and their options. Each body is imported when its command runs, so that `--help` and `check` start fast."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from gproj_lsp import __version__

__all__ = ["app"]


class Format(str, Enum):
    """How `check` writes what it found."""

    text = "text"
    json = "json"
    github = "github"
    sarif = "sarif"


class KernelPart(str, Enum):
    """What `bench tilelang` leaves open in kernels."""

    operands = "operands"
    stages = "stages"
    bodies = "bodies"


def _examples(*lines: str) -> str:
    """An epilog that is not re-wrapped."""
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in lines)))


app = typer.Typer(
    name="gproj-lsp",
    help=(
        "Finds names that do not exist, and lets a local model fill holes with names that do.\n\n"
        "A name that nothing declares (a column that is in no table) is a ghost: `check` finds them. A hole is a mark in a "
        "file, ?? or {:Column}, and `fill` puts there what the model likes best among the names that are declared: it can't "
        "write any other."
    ),
    epilog=_examples(
        "gproj-lsp demo                                  see all of it on a small shop",
        "gproj-lsp check queries/ -c surfaces.sql.ddl=schema.sql",
        "gproj-lsp check . --format github               in CI",
        "gproj-lsp fill report.sql -c surfaces.sql.database=sqlite:///shop.db",
        "",
        "Settings come from the nearest gproj.toml, then from -c. Exit codes: 0 nothing wrong,",
        "1 ghosts found or holes left, 2 something could not be done.",
    ),
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
facts_app = typer.Typer(help="Show or freeze what the world declares.", rich_markup_mode=None)
model_app = typer.Typer(help="Local models: list, pull, find.", rich_markup_mode=None)
bench_app = typer.Typer(help="Measure speed and choice on this machine.", rich_markup_mode=None)
app.add_typer(facts_app, name="facts")
app.add_typer(model_app, name="model")
app.add_typer(bench_app, name="bench")

Overrides = Annotated[
    list[str] | None,
    typer.Option("-c", "--set", metavar="KEY=VALUE", help="A setting, over gproj.toml; may be repeated."),
]
File = Annotated[Path, typer.Argument(metavar="FILE", help="The file, or - for standard input.")]
SideBySide = Annotated[
    int,
    typer.Option(
        metavar="N", min=1, max=64, help="Decode so many at once, in one context: faster in all, slower each."
    ),
]
StdinName = Annotated[
    str | None,
    typer.Option(metavar="PATH", help="The file that standard input stands for (decides the surface)."),
]
At = Annotated[str | None, typer.Option(metavar="LINE:COLUMN", help="The place; both count from 1.")]
Json = Annotated[bool, typer.Option("--json", help="Write JSON (documented in README.md).")]
AllowBase = Annotated[
    bool,
    typer.Option("--allow-base", help="Let a hole without candidates take an undeclared name; it is marked."),
]
Surface = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Which surface; not needed where one has sources configured."),
]


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"gproj-lsp {__version__}")
        raise typer.Exit


def _needs_command(context: typer.Context) -> None:
    """Show what there is to those who name no command."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)


for _group in (facts_app, model_app, bench_app):
    _group.callback(invoke_without_command=True)(_needs_command)


@app.callback()
def _root(
    context: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    _needs_command(context)


@app.command(
    epilog=_examples(
        "gproj-lsp check queries/",
        "gproj-lsp check report.sql -c surfaces.sql.ddl='[\"schema/**/*.sql\"]'",
        "gproj-lsp check - --stdin-filename report.sql < report.sql",
        "gproj-lsp check . --baseline ghosts.json --update-baseline",
    )
)
def check(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH", help="Files and folders, or - for standard input.")
    ],
    format: Annotated[Format, typer.Option(help="How to write what is found.")] = Format.text,  # noqa: A002  (the option's name)
    stdin_filename: StdinName = None,
    baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Known ghosts, not reported again.")
    ] = None,
    update_baseline: Annotated[
        bool,
        typer.Option(
            "--update-baseline", help="Write what is found to the baseline instead of reporting it."
        ),
    ] = False,
    show_unknown: Annotated[
        bool, typer.Option("--show-unknown", help="Tell names that can't be judged too, and why.")
    ] = False,
    overrides: Overrides = None,
) -> int:
    """Find ghost references: names that nothing declares.

    Exits with 1 if there are any. A comment `gproj: ignore[ghost-reference]` on the line, or on the line above, silences one.
    """
    from gproj_lsp.cli.check import check as body

    return body(
        paths,
        format=format.value,
        stdin_filename=stdin_filename,
        baseline=baseline,
        update_baseline=update_baseline,
        show_unknown=show_unknown,
        overrides=overrides or (),
    )


@app.command(
    epilog=_examples(
        "gproj-lsp fill report.sql                        show the diff",
        "gproj-lsp fill report.sql --write                change the file",
        "gproj-lsp fill report.sql --hole 2 --temperature 0.8 --seed 7",
        "gproj-lsp fill report.sql -c model=path/to/model.gguf -c engine=xgrammar",
    )
)
def fill(
    file: File,
    write: Annotated[bool, typer.Option("--write", help="Change the file, whole or not at all.")] = False,
    json: Json = False,
    hole: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only the Nth hole, counted from 1.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Same seed, same text.")] = None,
    temperature: Annotated[float | None, typer.Option(min=0.0, help="0 takes the likeliest text.")] = None,
    top_p: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="Sample from the likeliest tokens only.")
    ] = None,
    allow_base: AllowBase = False,
    batch: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=64, help="Fill so many statements at once, none shown another's names."
        ),
    ] = 1,
    stdin_filename: StdinName = None,
    overrides: Overrides = None,
) -> int:
    """Fill holes with names that are declared there.

    Prints a diff and changes nothing unless --write is given. Exits with 1 if a hole is left, with 2 if none could be filled.
    """
    from gproj_lsp.cli.fill import fill as body

    asked = {
        "fill.seed": seed,
        "fill.temperature": temperature,
        "fill.top-p": top_p,
        "fill.allow-base": "true" if allow_base else None,
    }
    said = [f"{key}={value}" for key, value in asked.items() if value is not None]
    return body(
        file,
        write=write,
        json=json,
        hole=hole,
        batch=batch,
        stdin_filename=stdin_filename,
        overrides=[*(overrides or ()), *said],
    )


@app.command(
    epilog=_examples(
        "gproj-lsp complete report.sql --at 3:1                  after a comment: the statement it asks for",
        "gproj-lsp complete report.sql --at 4:8 -n 3             three different ways to go on",
        "gproj-lsp complete report.sql --at 4:8 --write          insert it",
        "gproj-lsp complete report.sql --at 3:1 --milliseconds 300 --json",
        "gproj-lsp complete report.sql --at 3:1 --sketch -c complete.sketch=http://127.0.0.1:8000/v1",
    )
)
def complete(
    file: File,
    at: Annotated[str, typer.Option(metavar="LINE:COLUMN", help="Where to write; both count from 1.")],
    number: Annotated[
        int, typer.Option("-n", "--number", metavar="N", min=1, max=20, help="How many different texts.")
    ] = 1,
    sketch: Annotated[
        bool, typer.Option("--sketch", help="Write a sketch first, as the model likes, then make it hold.")
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="Insert the likeliest into the file.")] = False,
    json: Json = False,
    milliseconds: Annotated[
        float | None, typer.Option(metavar="MS", min=1.0, help="Stop after so long, at a place to stop at.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Same seed, same text.")] = None,
    temperature: Annotated[float | None, typer.Option(min=0.0, help="0 takes the likeliest text.")] = None,
    stdin_filename: StdinName = None,
    overrides: Overrides = None,
) -> int:
    """Write on from a place: a statement, or what is missing in one.

    What a comment asks for, the rest of a statement, or what belongs between two parts of it; no name in it is undeclared.
    Exits with 1 if it stops short of its end, with 2 if there is nothing to write.
    """
    from gproj_lsp.cli.complete import complete as body

    asked = {"complete.milliseconds": milliseconds, "fill.seed": seed, "fill.temperature": temperature}
    said = [f"{key}={value}" for key, value in asked.items() if value is not None]
    return body(
        file,
        at,
        number=number,
        sketch=sketch,
        write=write,
        json=json,
        stdin_filename=stdin_filename,
        overrides=[*(overrides or ()), *said],
    )


@app.command(
    epilog=_examples(
        "gproj-lsp rank report.sql --at 3:8", "gproj-lsp rank report.sql --at 3:8 --top 20 --json"
    )
)
def rank(
    file: File,
    at: Annotated[str, typer.Option(metavar="LINE:COLUMN", help="A place in the hole; both count from 1.")],
    top: Annotated[int, typer.Option(metavar="N", min=1, help="How many candidates to tell.")] = 10,
    json: Json = False,
    stdin_filename: StdinName = None,
    overrides: Overrides = None,
) -> int:
    """Rank what may stand in a hole.

    The model's probability for each candidate, given what stands left and right of the hole; likeliest first.
    """
    from gproj_lsp.cli.fill import rank as body

    return body(file, at, top=top, json=json, stdin_filename=stdin_filename, overrides=overrides or ())


@app.command(epilog=_examples("gproj-lsp gamma report.sql", "gproj-lsp gamma report.sql --at 3:8 --json"))
def gamma(
    file: File,
    at: At = None,
    json: Json = False,
    everything: Annotated[bool, typer.Option("--all", help="List the language's own names too.")] = False,
    stdin_filename: StdinName = None,
    overrides: Overrides = None,
) -> int:
    """Show Γ, the names that may be written at a place.

    Each with its sort and where it is declared. Without --at: at the end of the file.
    """
    from gproj_lsp.cli.inspect import gamma as body

    return body(
        file, at, json=json, everything=everything, stdin_filename=stdin_filename, overrides=overrides or ()
    )


@app.command(epilog=_examples("gproj-lsp grammar report.sql --at 3:8 > hole.gbnf"))
def grammar(
    file: File,
    at: Annotated[str, typer.Option(metavar="LINE:COLUMN", help="A place in the hole; both count from 1.")],
    rung: Annotated[
        str | None,
        typer.Option(
            metavar="ctx|gamma|base", help="How tight; by default the tightest that has candidates."
        ),
    ] = None,
    stdin_filename: StdinName = None,
    overrides: Overrides = None,
) -> int:
    """Print a hole's grammar as GBNF.

    The declared names are in it: any engine that takes GBNF can decode it.
    """
    from gproj_lsp.cli.inspect import grammar as body

    return body(file, at, rung=rung, stdin_filename=stdin_filename, overrides=overrides or ())


@app.command(epilog=_examples("gproj-lsp serve", "gproj-lsp serve --tcp 127.0.0.1:2087"))
def serve(
    tcp: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Listen there instead of on stdin and stdout.")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Log everything on stderr.")] = False,
    overrides: Overrides = None,
) -> None:
    """Run the language server, as editors do.

    Findings, holes, fills and completions over the Language Server Protocol.
    """
    from gproj_lsp.cli.serve import serve as body

    body(tcp, overrides=overrides or (), verbose=verbose)


@app.command("check-surface", epilog=_examples("gproj-lsp check-surface grammars/sql"))
def check_surface(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A surface's folder.")],
) -> int:
    """Compile, gate and test a surface.

    Its queries compile, its fragments pass their gates, its literate tests hold.
    """
    from gproj_lsp.cli.surfaces import check_surface as body

    return body(folder)


@app.command(epilog=_examples("gproj-lsp gate grammars/sql/fragments/column.toml"))
def gate(
    fragments: Annotated[list[Path], typer.Argument(metavar="FRAGMENT", help="Fragment files of a surface.")],
) -> int:
    """Put fragments through their hard gate.

    Each must accept its corpus and reject every ghost mined for it.
    """
    from gproj_lsp.cli.surfaces import gate as body

    return body(fragments)


@app.command(
    epilog=_examples("gproj-lsp demo", 'cp -r "$(gproj-lsp demo --path)" shop        to try things there')
)
def demo(
    model: Annotated[
        str | None, typer.Option(metavar="PATH", help="A GGUF file instead of the embedded model.")
    ] = None,
    path: Annotated[bool, typer.Option("--path", help="Only print where the example lies.")] = False,
) -> int:
    """See the main job on a small shop.

    Ghosts found, a hole decoded free and under Γ, holes filled, by the embedded model.
    """
    from gproj_lsp.cli.demo import FOLDER
    from gproj_lsp.cli.demo import demo as body

    if path:
        typer.echo(FOLDER)
        return 0
    return body(model)


@facts_app.command(
    "freeze",
    epilog=_examples(
        "gproj-lsp facts freeze -o schema.json -c surfaces.sql.database=postgresql://localhost/shop",
        "gproj-lsp check . -c surfaces.sql.snapshot=schema.json        no database needed",
        "gproj-lsp facts freeze mylib --path src        imports mylib, and writes mylib.api.json",
        "gproj-lsp check . -c surfaces.python.api=mylib",
    ),
)
def facts_freeze(
    package: Annotated[
        str | None,
        typer.Argument(
            metavar="PACKAGE", help="A library to import, which runs its code; none: the sources."
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Where to write the snapshot.")
    ] = None,
    static: Annotated[
        bool, typer.Option("--static", help="Read the library's source instead of importing it.")
    ] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Write nothing; show how importing and reading it differ.")
    ] = False,
    path: Annotated[
        list[Path] | None, typer.Option("--path", metavar="DIR", help="Where else the library may lie.")
    ] = None,
    python: Annotated[
        str, typer.Option("--python", metavar="FILE", help="The Python that has it.", show_default=False)
    ] = sys.executable,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, help="The time that importing may take.")
    ] = 60.0,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="MODULE", help="Keep this module of it, and what that leads to."),
    ] = None,
    surface: Surface = None,
    overrides: Overrides = None,
) -> int:
    """Write a snapshot to commit.

    Of a library: what it declares. Else: what the configured database and DDL files declare, so that `check` needs neither.
    """
    if package is not None:
        from gproj_lsp.cli.library import Library, compare_readings, freeze_library

        library = Library(package, tuple(path or ()), python, seconds, tuple(only or ()))
        return compare_readings(library) if compare else freeze_library(library, output, static=static)
    from gproj_lsp.cli.facts import freeze as body
    from gproj_lsp.errors import InputError

    if output is None:
        raise InputError("no file is named", mend="say where to write with -o schema.json")
    return body(output, surface=surface, overrides=overrides or ())


@facts_app.command(
    "show", epilog=_examples("gproj-lsp facts show -c surfaces.sql.database=sqlite:///shop.db")
)
def facts_show(surface: Surface = None, json: Json = False, overrides: Overrides = None) -> int:
    """Show what every configured source declares."""
    from gproj_lsp.cli.facts import show as body

    return body(surface=surface, json=json, overrides=overrides or ())


@model_app.command("list")
def model_list(json: Json = False) -> int:
    """List the models that are known here."""
    from gproj_lsp.cli.models import listed as body

    return body(json=json)


@model_app.command("pull", epilog=_examples("gproj-lsp model pull hf:OWNER/REPOSITORY/FILE.gguf@SHA256"))
def model_pull(
    reference: Annotated[
        str, typer.Argument(metavar="REFERENCE", help="hf:OWNER/REPOSITORY/FILE.gguf@SHA256")
    ],
) -> int:
    """Download a model; it is kept only if its SHA-256 is the one given."""
    from gproj_lsp.cli.models import pulled as body

    return body(reference)


@model_app.command("path")
def model_path(
    name: Annotated[
        str, typer.Argument(metavar="MODEL", help="What the setting `model` would say.")
    ] = "embedded",
) -> int:
    """Print the file of a model."""
    from gproj_lsp.cli.models import located as body

    return body(name)


Names = Annotated[str, typer.Option(metavar="N,N,...", help="How many names Γ holds.")]
Rounds = Annotated[
    int, typer.Option(metavar="N", min=1, help="How often each is measured; medians are told.")
]


TaskFile = Annotated[
    Path, typer.Option("--tasks", metavar="FILE", help="A JSON list of {id, db_id, question, query}.")
]
Databases = Annotated[
    Path, typer.Option("--databases", metavar="DIR", help="Holds <db_id>.sqlite; opened read-only.")
]
Sample = Annotated[int | None, typer.Option(metavar="N", min=1, help="Draw so many; by default all.")]
DrawSeed = Annotated[int, typer.Option("--seed", help="Same seed, same draw.")]


@bench_app.command(
    "throughput",
    epilog=_examples(
        "gproj-lsp bench throughput --names 10,300,3000",
        "gproj-lsp bench throughput --batch 1,32 --names 300 --rounds 3",
    ),
)
def bench_throughput(
    names: Annotated[
        str | None,
        typer.Option(metavar="N,N,...", help="How many names Γ holds: 10,300,3000, or 300 with --batch."),
    ] = None,
    batch: Annotated[
        str | None,
        typer.Option(metavar="N,N,...", help="Decode so many holes at once, beside a plain grammar too."),
    ] = None,
    rounds: Rounds = 7,
    processor: Annotated[
        bool,
        typer.Option(
            "--processor-time", help="With --batch: one thread's processor time; others do not change it."
        ),
    ] = False,
    json: Json = False,
    overrides: Overrides = None,
) -> int:
    """Tokens a second under the mask and free.

    The same loop, greedy, with Γ fixed and with Γ changed before each hole, in alternating pairs. With --batch: several holes
    at once in one context, free, under a plain grammar and under Γ, beside the published figures.
    """
    if batch is not None:
        from gproj_lsp.cli.bench import batch as side_by_side

        return side_by_side(
            batches=batch,
            names=names or "300",
            rounds=rounds,
            processor=processor,
            json=json,
            overrides=overrides or (),
        )
    from gproj_lsp.cli.bench import throughput as body

    return body(names=names or "10,300,3000", rounds=rounds, json=json, overrides=overrides or ())


@bench_app.command(
    "sql",
    epilog=_examples(
        "gproj-lsp bench sql --tasks spider/tasks.json --databases spider/databases --sample 50",
        "gproj-lsp bench sql --tasks t.json --databases dbs --arms retry,ctx -c model=code.gguf --json",
    ),
)
def bench_sql(
    tasks: TaskFile,
    databases: Databases,
    arms: Annotated[
        str,
        typer.Option(
            metavar="ARM,...", help="free, unconstrained, prompt-schema, retry, gamma, ctx, uniform."
        ),
    ] = "free,unconstrained,prompt-schema,retry,gamma,ctx,uniform",
    sample: Sample = None,
    seed: DrawSeed = 0,
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write every answer here, one line of JSON each. What it holds of the same model is not asked again, so a run "
            "that was cut goes on.",
        ),
    ] = None,
    batch: SideBySide = 1,
    surface: Surface = None,
    json: Json = False,
    overrides: Overrides = None,
) -> int:
    """How good whole queries are, with a mask and with what people do instead.

    Each question is answered in each arm; an answer is right where it gives what the reference query gives. The published
    figures stand beside.
    """
    from gproj_lsp.cli.bench import sql as body

    return body(
        tasks,
        databases,
        arms=arms,
        sample=sample,
        seed=seed,
        answers=answers,
        surface=surface,
        batch=batch,
        json=json,
        overrides=overrides or (),
    )


@bench_app.command(
    "ladder",
    epilog=_examples(
        "gproj-lsp bench ladder --tasks spider/tasks.json --databases spider/databases --sample 100"
    ),
)
def bench_ladder(
    tasks: TaskFile,
    databases: Databases,
    sample: Sample = None,
    seed: DrawSeed = 0,
    batch: SideBySide = 1,
    surface: Surface = None,
    json: Json = False,
    overrides: Overrides = None,
) -> int:
    """What each rung leaves a model to choose, and what it makes of it.

    Queries of one table with their columns taken out are filled at each rung, from any identifier to the one right name.
    """
    from gproj_lsp.cli.bench import ladder as body

    return body(
        tasks,
        databases,
        sample=sample,
        seed=seed,
        surface=surface,
        batch=batch,
        json=json,
        overrides=overrides or (),
    )


@bench_app.command(
    "tilelang",
    epilog=_examples("gproj-lsp bench tilelang --python venv/bin/python --sample 200 -c model=code.gguf"),
)
def bench_tilelang(
    part: Annotated[
        KernelPart,
        typer.Option(
            help="operands: those of several kernels; stages: those of one kernel of which the model first chooses a plan; "
            "bodies: all that stands under a signature."
        ),
    ] = KernelPart.operands,
    arms: Annotated[
        str | None,
        typer.Option(
            "--arms",
            metavar="NAME,NAME",
            help="Which arms: free, gamma, ctx, ctx-shape, uniform, uniform-shape; of stages also unconstrained; of bodies "
            "ctx, uniform, unconstrained. All of them where nothing is said.",
        ),
    ] = None,
    sample: Annotated[int, typer.Option("--sample", min=1, help="Kernels an arm.")] = 10,
    seed: DrawSeed = 0,
    batch: SideBySide = 1,
    python: Annotated[
        str,
        typer.Option("--python", metavar="FILE", help="The Python that has TileLang.", show_default=False),
    ] = sys.executable,
    lower: Annotated[
        bool, typer.Option("--lower", help="Have kernels lowered to CUDA C++, too; that needs no GPU either.")
    ] = False,
    kernels: Annotated[
        Path | None,
        typer.Option("--kernels", metavar="FILE", help="Other kernels, in the form of the shipped ones."),
    ] = None,
    json: Json = False,
    overrides: Overrides = None,
) -> int:
    """What each rung leaves to choose in tile kernels, and how many of those elaborate.

    Runs the kernels that it fills, in processes of their own, to have TileLang judge them.
    """
    from gproj_lsp.cli.tiles import run

    return run(
        part=part.value,
        arms=arms,
        sample=sample,
        seed=seed,
        batch=batch,
        python=python,
        lower=lower,
        file=kernels,
        json=json,
        overrides=overrides or (),
    )


@bench_app.command("forced", epilog=_examples("gproj-lsp bench forced -c model=code.gguf"))
def bench_forced(rounds: Rounds = 7, json: Json = False, overrides: Overrides = None) -> int:
    """What forced text saves.

    Time to write statements with slots against free decoding of the same texts: where slots prevail, and where fixed text does.
    """
    from gproj_lsp.cli.bench import forced as body

    return body(rounds=rounds, json=json, overrides=overrides or ())


@bench_app.command("slots", epilog=_examples("gproj-lsp bench slots -c engine=xgrammar"))
def bench_slots(
    names: Names = "10,300,1000,3000", rounds: Rounds = 15, json: Json = False, overrides: Overrides = None
) -> int:
    """What a changed Γ costs until the first mask.

    And how many model steps each hole of the shipped example takes to its first text.
    """
    from gproj_lsp.cli.bench import slots as body

    return body(names=names, rounds=rounds, json=json, overrides=overrides or ())


@bench_app.command("lsp", epilog=_examples("gproj-lsp bench lsp --lines 3000"))
def bench_lsp(
    lines: Annotated[int, typer.Option(metavar="N", min=20, help="How long the large file is.")] = 3000,
    rounds: Annotated[int, typer.Option(metavar="N", min=4, help="How often most things are asked.")] = 60,
    seed: Annotated[int, typer.Option(help="Same seed, same edits.")] = 0,
    json: Json = False,
    overrides: Overrides = None,
) -> int:
    """How fast the language server answers.

    A server process of its own is asked over its standard input and output; the model is the one that settings name.
    """
    from gproj_lsp.cli.bench import lsp as body

    return body(lines=lines, rounds=rounds, seed=seed, json=json, overrides=overrides or ())


@bench_app.command(
    "columns",
    epilog=_examples(
        "gproj-lsp bench columns path/to/spider --sample 200 --uniform",
        "gproj-lsp bench columns path/to/spider -c model=code.gguf --json",
    ),
)
def bench_columns(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="Holds tasks.json ({id, db_id, question, query}) and databases/*.sqlite."
        ),
    ],
    sort: Annotated[
        str, typer.Option(metavar="SORT", help="The sort of the names that become holes.")
    ] = "Column",
    sample: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Draw so many holes; by default all.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same draw.")] = 0,
    uniform: Annotated[bool, typer.Option("--uniform", help="Also a model that knows nothing.")] = False,
    batch: SideBySide = 1,
    surface: Surface = None,
    json: Json = False,
    overrides: Overrides = None,
) -> int:
    """How often the right name is chosen.

    Each name of the sort in queries with known answers becomes a hole; arms: free, gamma, ctx.
    """
    from gproj_lsp.cli.bench import columns as body

    return body(
        data,
        sort=sort,
        sample=sample,
        seed=seed,
        uniform=uniform,
        batch=batch,
        json=json,
        surface=surface,
        overrides=overrides or (),
    )


@bench_app.command(
    "inline",
    epilog=_examples(
        "gproj-lsp bench inline path/to/spider --sample 200 --batch 8",
        "gproj-lsp bench inline path/to/spider --sample 200 --arms masked --milliseconds 300",
    ),
)
def bench_inline(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="Holds tasks.json ({id, db_id, question, query}) and databases/*.sqlite."
        ),
    ],
    arms: Annotated[
        str, typer.Option(metavar="LIST", help="Which of masked and unmasked.")
    ] = "masked,unmasked",
    sample: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Draw so many queries; by default all.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same places.")] = 0,
    milliseconds: Annotated[
        float, typer.Option(metavar="N", min=0, help="The time that masked text may take; 0: no bound.")
    ] = 0.0,
    batch: SideBySide = 1,
    surface: Surface = None,
    json: Json = False,
    overrides: Overrides = None,
) -> int:
    """How useful text at the cursor is.

    Queries with known answers are cut at the end of a word; what is offered there is held against how they went on.
    """
    from gproj_lsp.cli.bench import inline as body

    return body(
        data,
        arms=arms,
        sample=sample,
        seed=seed,
        milliseconds=milliseconds,
        batch=batch,
        json=json,
        surface=surface,
        overrides=overrides or (),
    )
