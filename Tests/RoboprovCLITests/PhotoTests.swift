import Application
import Foundation
import Testing
import VirtualBuilding

@Suite("Photos of labels")
struct PhotoTests {
  /// How a label lies in a photo of 480 × 360 pixels, and how it was taken.
  struct Shot: CustomTestStringConvertible {
    var testDescription: String
    /// Pixels of a module.
    var module = 3.0
    /// Degrees.
    var turn = 0.0
    /// Of black and of white.
    var shades = (30.0, 230.0)
    /// The largest deviation by noise.
    var noise = 0.0
    /// Where the middle of the label is, of the picture's width and height.
    var place = (0.5, 0.5)
  }

  private static let size = (width: 480, height: 360)

  /// A code that another library has made (Tests/Photos).
  private static func code(_ name: String) throws -> [[Bool]] {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../Photos/Codes/\(name).txt")
    let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
      $0.map { $0 == "#" }
    }
    return rows.count == 1 ? Array(repeating: rows[0], count: 60) : rows
  }

  /// The picture of codes, each the mean of nine points in a pixel.
  private static func picture(_ codes: [(code: [[Bool]], shot: Shot)]) throws -> GreyPicture {
    var generator = SeededGenerator(seed: 1)
    var pixels: [UInt8] = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        var value = codes[0].shot.shades.0 + codes[0].shot.shades.1 * 0.4
        for (code, shot) in codes {
          let (sine, cosine) = (sin(shot.turn * .pi / 180), cos(shot.turn * .pi / 180))
          var shades: [Double] = []
          for part in 0..<9 {
            let dx = Double(x) + Double(part % 3) / 3 - shot.place.0 * Double(size.width)
            let dy = Double(y) + Double(part / 3) / 3 - shot.place.1 * Double(size.height)
            let column = ((dx * cosine + dy * sine) / shot.module + Double(code[0].count) / 2).rounded(.down)
            let row = ((dy * cosine - dx * sine) / shot.module + Double(code.count) / 2).rounded(.down)
            guard (-8..<Double(code[0].count) + 8).contains(column),
              (-8..<Double(code.count) + 8).contains(row)
            else { continue }
            let isInside = code.indices.contains(Int(row)) && code[0].indices.contains(Int(column))
            shades.append(isInside && code[Int(row)][Int(column)] ? shot.shades.0 : shot.shades.1)
          }
          if !shades.isEmpty { value = shades.reduce(0, +) / Double(shades.count) }
        }
        let noise = codes[0].shot.noise
        pixels.append(UInt8(max(0, min(255, value + Double.random(in: -noise...noise, using: &generator)))))
      }
    }
    return try GreyPicture(width: size.width, height: size.height, pixels: pixels)
  }

  private static let reader = PhotoReader(command: [Invocation.program.path, PhotoReader.argument])

  private static let shots = [
    Shot(testDescription: "upright"), Shot(testDescription: "turned by 20°", turn: 20),
    Shot(testDescription: "turned by 45°", turn: 45), Shot(testDescription: "upside down", turn: 180),
    Shot(testDescription: "in a corner", place: (0.2, 0.75)), Shot(testDescription: "dark", shades: (10, 40)),
    Shot(testDescription: "noise", noise: 40), Shot(testDescription: "small", module: 2),
  ]

  @Test("a matrix code is read", arguments: ["qr", "datamatrix"], shots)
  func matrix(_ name: String, _ shot: Shot) async throws {
    let texts = try await Self.reader.texts(in: Self.picture([(Self.code(name), shot)]))
    #expect(
      texts == [
        name == "qr"
          ? #"{"ver":"v1","name":"PROV_A1B2C3","pop":"abcd1234","transport":"ble"}"# : "C47C8D000001"
      ])
  }

  @Test(
    "a bar code is read",
    arguments: [
      Shot(testDescription: "upright", module: 2),
      Shot(testDescription: "turned by 25°", module: 2, turn: 25),
      Shot(testDescription: "turned by 90°", module: 1.5, turn: 90),
      Shot(testDescription: "dark", module: 2, shades: (10, 40)),
    ])
  func bars(_ shot: Shot) async throws {
    let texts = try await Self.reader.texts(in: Self.picture([(Self.code("code128"), shot)]))
    #expect(texts == ["C47C8D000001"])
  }

  @Test("two codes in one picture are two texts, and none is none")
  func severalOrNone() async throws {
    let both = try Self.picture([
      (Self.code("qr"), Shot(testDescription: "", place: (0.25, 0.5))),
      (Self.code("datamatrix"), Shot(testDescription: "", place: (0.7, 0.5))),
    ])
    #expect(try await Self.reader.texts(in: both).count == 2)
    let white = [[Bool]](repeating: [Bool](repeating: false, count: 30), count: 30)
    #expect(try await Self.reader.texts(in: Self.picture([(white, Self.shots[0])])) == [])
  }
}
