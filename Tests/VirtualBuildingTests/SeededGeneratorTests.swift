import Testing
import VirtualBuilding

@Suite("Seeded generator")
struct SeededGeneratorTests {
  @Test("the generator gives SplitMix64's published sequence")
  func reference() {
    var generator = SeededGenerator(seed: 1_234_567)
    let drawn = (0..<5).map { _ in generator.next() }
    #expect(
      drawn == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ])
  }

  @Test("a split depends on the label only, not on earlier draws")
  func split() {
    var parent = SeededGenerator(seed: 42)
    var before = parent.split("radio")
    for _ in 0..<10 { _ = parent.next() }
    var after = parent.split("radio")
    var other = parent.split("radio2")
    let first = before.next()
    #expect(after.next() == first)
    #expect(other.next() != first)
    #expect(parent.split("") != parent)
  }

  @Test("durations are drawn from the whole range, both ends included")
  func durations() {
    var generator = SeededGenerator(seed: 3)
    let range = Duration.nanoseconds(5)...(.nanoseconds(8))
    let drawn = Set((0..<200).map { _ in generator.duration(in: range) })
    #expect(drawn == Set((5...8).map { Duration.nanoseconds($0) }))
    #expect(generator.duration(in: .seconds(2)...(.seconds(2))) == .seconds(2))
  }

  @Test("chance gives true with the given probability", arguments: [0.0, 0.3, 1.0])
  func chance(_ probability: Double) {
    var generator = SeededGenerator(seed: 9)
    let hits = (0..<10_000).filter { _ in generator.chance(probability) }.count
    #expect(abs(Double(hits) / 10_000 - probability) < 0.02)
  }
}
