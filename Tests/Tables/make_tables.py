#!/usr/bin/python3
"""Writes tables of rooms as customers send them, beside this file: `Tests/Tables/make_tables.py`.

Five programs (Excel, LibreOffice, Numbers, Google Sheets, the export of a facility management), seven languages. The files of
the programs are made by hand from their formats, with the peculiarities that these programs have. TableImportTests reads them.
"""

import io
import pathlib
import zipfile
from xml.sax.saxutils import escape

HERE = pathlib.Path(__file__).resolve().parent
Cell = str | int | float | None
Rows = list[list[Cell]]
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def mac(number: int, form: str = ":") -> str:
    digits = f"C47C8D6B{number:04X}"
    if form == ".":
        return ".".join(digits[i : i + 4] for i in (0, 4, 8)).lower()
    return form.join(digits[i : i + 2] for i in range(0, 12, 2))


def archive(name: str, parts: dict[str, str]) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for path, text in parts.items():
            # The same bytes each time.
            file.writestr(zipfile.ZipInfo(path, (2026, 11, 28, 0, 0, 0)), text, zipfile.ZIP_DEFLATED)
    (HERE / name).write_bytes(buffer.getvalue())


def letter(index: int) -> str:
    return chr(65 + index)


class Excel:
    """An .xlsx. Formats by number: 0 general, 1 `000`, 2 a date."""

    def __init__(self, shared: bool = True) -> None:
        self.shared = shared
        self.strings: list[str] = []
        self.sheets: list[tuple[str, str, str]] = []

    def text(self, place: str, text: str) -> str:
        if not self.shared:
            return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'
        self.strings.append(text)
        return f'<c r="{place}" t="s"><v>{len(self.strings) - 1}</v></c>'

    def sheet(
        self, name: str, rows: Rows, merged: str = "", state: str = "visible", formats: dict[int, int] | None = None
    ) -> None:
        lines = []
        for index, row in enumerate(rows, 1):
            cells = []
            for column, cell in enumerate(row):
                place = f"{letter(column)}{index}"
                if isinstance(cell, str):
                    cells.append(self.text(place, cell))
                elif cell is not None:
                    cells.append(f'<c r="{place}" s="{(formats or {}).get(column, 0)}"><v>{cell}</v></c>')
                else:
                    cells.append(f'<c r="{place}"/>')
            lines.append(f'<row r="{index}">{"".join(cells)}</row>')
        merges = f'<mergeCells count="1"><mergeCell ref="{merged}"/></mergeCells>' if merged else ""
        self.sheets.append((name, state, f"<worksheet {MAIN}><sheetData>{''.join(lines)}</sheetData>{merges}</worksheet>"))

    def write(self, name: str) -> None:
        numbers = range(1, len(self.sheets) + 1)
        sheets = "".join(
            f'<sheet name="{escape(sheet[0])}" sheetId="{n}" state="{sheet[1]}" r:id="rId{n}"/>'
            for n, sheet in zip(numbers, self.sheets, strict=True)
        )
        relations = "".join(
            f'<Relationship Id="rId{n}" Type="{RELATIONS}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in numbers
        )
        parts = {
            "[Content_Types].xml": "<Types/>",
            "xl/workbook.xml": f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><workbook {MAIN} xmlns:r="{RELATIONS}">'
            f"<sheets>{sheets}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}">{relations}</Relationships>',
            "xl/styles.xml": f'<styleSheet {MAIN}><numFmts count="1"><numFmt numFmtId="164" formatCode="000"/></numFmts>'
            '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>'
            '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="16"/></cellXfs></styleSheet>',
        }
        if self.strings:
            # A reading above Japanese characters is no part of the text.
            items = "".join(f"<si><t>{escape(text)}</t><rPh sb='0' eb='1'><t>READING</t></rPh></si>" for text in self.strings)
            parts["xl/sharedStrings.xml"] = f"<sst {MAIN}>{items}</sst>"
        parts |= {f"xl/worksheets/sheet{n}.xml": sheet[2] for n, sheet in zip(numbers, self.sheets, strict=True)}
        archive(name, parts)


def ods(name: str, rows: Rows, zeros: int = 0) -> None:
    """An .ods; LibreOffice repeats empty cells and rows up to the end of the sheet."""
    lines = []
    for row in rows:
        cells = []
        for cell in row:
            if isinstance(cell, str):
                text = escape(cell).replace("  ", ' <text:s text:c="1"/>')
                note = "<office:annotation><text:p>a note</text:p></office:annotation>" if cell == "Lobby" else ""
                cells.append(
                    f'<table:table-cell office:value-type="string">{note}<text:p><text:span>{text}</text:span></text:p>'
                    "</table:table-cell>"
                )
            elif cell is not None:
                shown = str(cell).zfill(zeros)
                cells.append(
                    f'<table:table-cell office:value-type="float" office:value="{cell}"><text:p>{shown}</text:p>'
                    "</table:table-cell>"
                )
            else:
                cells.append("<table:table-cell/>")
        lines.append(
            f'<table:table-row>{"".join(cells)}<table:table-cell table:number-columns-repeated="16000"/></table:table-row>'
        )
    names = "".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{prefix}:1.0" '
        for prefix in ["office", "table", "text", "style"]
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {names}><office:body><office:spreadsheet>'
        f'<table:table table:name="Tabelle1">{"".join(lines)}<table:table-row table:number-rows-repeated="1048000">'
        '<table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    archive(name, {"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": content})


def text(name: str, rows: Rows, delimiter: str, encoding: str = "utf-8", end: str = "\r\n") -> None:
    def cell(value: Cell) -> str:
        shown = "" if value is None else str(value)
        return f'"{shown}"' if delimiter in shown or "\n" in shown else shown

    lines = [delimiter.join(cell(value) for value in row) for row in rows]
    (HERE / name).write_bytes((end.join(lines) + end).encode(encoding))


def rooms(count: int, form: str = ":", first: int = 101) -> list[tuple[int, str]]:
    return [(first + n, mac(n + 1, form)) for n in range(count)]


def excel() -> None:
    book = Excel()
    title: Rows = [
        ["Hotel Seeblick – Raumliste Stand 11/2026"],
        [],
        ["Zimmer-Nr.", "Etage", "Beacon Nr", "MAC Adresse", "WLAN", "Bemerkung"],
    ]
    body: Rows = [[n, "1. OG" if n == 101 else None, float(n), a, "Gäste", "ok"] for n, a in rooms(6, "-")]
    book.sheet("Räume", title + body, merged="B4:B9")
    book.sheet("Notizen", [["intern"]], state="hidden")
    book.write("excel-de.xlsx")
    head: Rows = [["Zimmer", "Geschoß", "Beacon-Nr.", "MAC-Adresse", "Notiz"]]
    text("excel-de.csv", head + [[f"Küche {n}", "EG", n, a, "groß; hell"] for n, a in rooms(6, "")], ";", "cp1252")
    english: Rows = [["Room number", "Level", "Minor ID", "Bluetooth address"]]
    text("excel-en.tsv", english + [[f"Room {n}", 1, n, a] for n, a in rooms(6)], "\t", "utf-16")
    book = Excel()
    french: Rows = [["Numéro de chambre", "Étage", "Balise", "Adresse MAC"]]
    book.sheet("Feuil1", french + [[n, 2, n - 100, a] for n, a in rooms(6)])
    book.write("excel-fr.xlsx")
    spanish: Rows = [["Habitación", "Planta", "Minor", "Dirección MAC"]]
    text("excel-es.csv", spanish + [[n, 1, f"{n}.0", a] for n, a in rooms(6, ".")], ";", "cp1252")
    dates: Rows = [["Raum", "Beacon", "MAC"], ["1-1", 1, mac(1)], ["02. Jan", 2, mac(2)], ["1-13", 3, mac(3)]]
    text("excel-de-dates.csv", dates, ";", "cp1252")
    book = Excel()
    names: Rows = [["Rooms"]]
    book.sheet("Sheet1", names + [[f"Room {n}"] for n, _ in rooms(6)])
    book.write("excel-en-names.xlsx")


def libre_office() -> None:
    german: Rows = [["Objekt: Seehaus"], [], ["Raumnummer", "Stockwerk", "Minor", "MAC", "Raumart"]]
    ods("libreoffice-de.ods", german + [[n, 0, n, a, "Büro"] for n, a in rooms(6, ":", first=7)], zeros=3)
    italian: Rows = [["Camera", "Piano", "Minore", "Indirizzo MAC"], ["Lobby", 0, 1, mac(7)]]
    ods("libreoffice-it.ods", italian + [[f"Camera {n}", 1, n, a] for n, a in rooms(5)])
    thousands: Rows = [["Room", "Minor", "MAC address"]]
    text("libreoffice-en.csv", thousands + [[f"R {n}", f"{n:,}", a] for n, a in rooms(6, ":", first=1101)], ",")
    dutch: Rows = [["Kamer", "Verdieping", "Minor", "MAC-adres"]]
    text("libreoffice-nl.csv", dutch + [[f"Kamer {n}", 1, n, a] for n, a in rooms(6)], ";", end="\n")
    bare: Rows = [[f"Büro {n}", n, a] for n, a in rooms(6)]
    text("libreoffice-de-bare.csv", bare, ";", end="\n")


def numbers() -> None:
    book = Excel()
    summary: Rows = [
        ["This document was exported from Numbers."],
        ["Numbers Sheet Name", "Numbers Table Name", "Excel Worksheet Name"],
        ["Sheet 1", "Table 1", "Sheet 1"],
    ]
    book.sheet("Export Summary", summary)
    table: Rows = [["Table 1"], ["Room", "Floor", "Minor", "MAC"]]
    book.sheet("Sheet 1", table + [[f"Room {n}", 1, n, a] for n, a in rooms(6)])
    book.write("numbers-en.xlsx")
    japanese: Rows = [["部屋番号", "階", "ビーコン番号", "MACアドレス"]]
    text("numbers-ja.csv", japanese + [[f"{n}号室", 1, n, a] for n, a in rooms(6)], ",", end="\n")


def google_sheets() -> None:
    book = Excel(shared=False)
    head: Rows = [["Room", "Minor", "Sensor"]]
    empty: Rows = [[None, None, None]] * 200
    book.sheet("Sheet1", head + [[f"Suite {n}", n, a] for n, a in rooms(6, "")] + empty)
    book.write("sheets-en.xlsx")
    french: Rows = [["Chambre", "Étage", "Minor", "Adresse", "Étiquette BLE"]]
    text("sheets-fr.csv", french + [[n, 1, n, "12 rue du Lac, Annecy", a] for n, a in rooms(6)], ",")
    spanish: Rows = [["Sala", "Piso", "Beacon", "MAC"]]
    text("sheets-es.tsv", spanish + [[f"Sala {n}", 1, n, a] for n, a in rooms(6)], "\t", end="\n")


def facility_management() -> None:
    head: Rows = [["Objekt", "Ebene", "Raumnummer", "NRF m²", "Belag", "Minor", "MAC-Adresse"]]
    rows: Rows = [["Raumbuch, gedruckt am 28.11.2026, Seite 1"], []]
    rows += head + [["H1", "1.OG", n, "17,5", "Teppich", n, a] for n, a in rooms(3)]
    rows += [[None, None, "2. Obergeschoss", None, None, None, None], ["Raumbuch, Seite 2"], *head]
    rows += [["H1", "2.OG", n + 100, "20,0", "Parkett", n + 100, a] for n, a in rooms(6)[3:]]
    rows += [[None, None, "Summe: 6 Räume"]]
    text("fm-de.csv", rows, ";", "cp1252")
    book = Excel()
    english: Rows = [["Building", "Room number", "Space name", "WLAN MAC", "BLE MAC", "Minor"]]
    body: Rows = [["B1", n, f"Office {n}", mac(n + 0x1000), a, n] for n, a in rooms(6)]
    book.sheet("Spaces", english + body)
    book.write("fm-en.xlsx")
    ranges: Rows = [
        ["Raum", "Minor", "Etage"],
        ["101-105", 101, 1],
        ["201-204", 201, 2],
    ]
    ranges += [[f"Saal {n}", n, 0] for n in (1, 2, 3, 4)]
    text("fm-de-ranges.csv", ranges, ";")


def first_quarter_hour() -> None:
    """The forty rooms of FirstQuarterHourTests, whose devices have the addresses of its virtual building."""
    for name, has_addresses in [("forty-rooms.xlsx", True), ("forty-rooms-without-addresses.xlsx", False)]:
        book = Excel()
        head: Rows = [["Haus am See: Räume"], [], ["Raum", "Beacon-Nr.", "Etage", "MAC-Adresse", "Bemerkung"]]
        body: Rows = [
            [
                f"Zimmer {100 + n}",
                100 + n,
                1 if n <= 20 else 2,
                f"C47C8D{n:06X}" if has_addresses else None,
                "Küche, groß" if n == 3 else None,
            ]
            for n in range(1, 41)
        ]
        book.sheet("Tabelle1", head + body)
        book.write(name)


if __name__ == "__main__":
    first_quarter_hour()
    excel()
    libre_office()
    numbers()
    google_sheets()
    facility_management()
