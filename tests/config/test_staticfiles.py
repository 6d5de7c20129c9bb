"""Scripts that import each other do so by names that tell their content."""

import re
import shutil
from pathlib import Path

from django.core.files.storage import FileSystemStorage

from config.staticfiles import Storage

SOURCE = Path(__file__).resolve().parents[2] / "assess" / "static"


def test_modules_are_imported_by_hashed_names(tmp_path: Path) -> None:
    shutil.copytree(SOURCE, tmp_path, dirs_exist_ok=True)
    storage, source = Storage(location=str(tmp_path), base_url="/static/"), FileSystemStorage(str(SOURCE))
    files = {str(path.relative_to(SOURCE)): (source, str(path.relative_to(SOURCE))) for path in SOURCE.rglob("*.*")}
    made = {name: hashed for name, hashed, _ in storage.post_process(files) if hashed and hashed.endswith(".js")}
    entry = tmp_path / made["assess/judge.js"]
    imported = re.findall(r'from "\./([^"]+)"', entry.read_text())
    assert len(imported) >= 10 and all(re.fullmatch(r"judge/\w+\.[0-9a-f]{12}\.js", name) for name in imported)
    for script in [entry, *(tmp_path / "assess" / name for name in imported)]:
        for name in re.findall(r'^import .* from "(.+)";', script.read_text(), re.MULTILINE):
            assert (script.parent / name).is_file(), f"{script.name} imports {name}"
            assert re.search(r"\.[0-9a-f]{12}\.js$", name)
