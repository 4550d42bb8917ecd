import Testing

@testable import Reporting

@Suite("Numbers in reports")
struct NumbersTests {
  @Test(
    "a number has all of its digits, and no zeros at its end where it is short",
    arguments: [
      (0, 3, "0.000", "0"), (-0.0004, 3, "0.000", "0"), (0.005, 3, "0.005", "0.005"),
      (-0.25, 2, "-0.25", "-0.25"), (12.5, 1, "12.5", "12.5"), (10, 3, "10.000", "10"),
      (1200, 1, "1200.0", "1200"), (100.1, 6, "100.100000", "100.1"), (9.9996, 3, "10.000", "10"),
      (999_999_999_999.5, 3, "999999999999.500", "999999999999.5"),
      (1e12, 3, nil, nil), (.infinity, 3, nil, nil), (.nan, 3, nil, nil),
    ] as [(Double, Int, String?, String?)])
  func digits(value: Double, places: Int, fixed: String?, short: String?) {
    #expect(Decimal.fixed(value, places: places) == fixed)
    #expect(Decimal.short(value) == short)
  }

  @Test("every thousandth has the digits of its whole number")
  func thousandths() {
    for whole in Array(0...2_100) + Array(999_900...1_000_100) {
      let digits = "\(whole % 1000 + 1000)".dropFirst()
      #expect(Decimal.fixed(Double(whole) / 1000, places: 3) == "\(whole / 1000).\(digits)")
    }
  }
}
