/// Where a sensor or an adapter is. What stands in between follows from the places of both: the walls by
/// `RadioParameters.wallSpacing`, the ceilings by `floor`.
public struct Place: Hashable, Sendable {
  /// Metres along the building, from any origin.
  public var x: Double
  /// Metres across it, from the same origin.
  public var y: Double
  /// Storey; 0 is the ground floor.
  public var floor: Int

  /// A place.
  public init(x: Double, y: Double, floor: Int = 0) {
    self.x = x
    self.y = y
    self.floor = floor
  }

  /// Metres between two places, with storeys of this height.
  public func distance(to other: Place, storeyHeight: Double) -> Double {
    let (dx, dy, dz) = (x - other.x, y - other.y, Double(floor - other.floor) * storeyHeight)
    return (dx * dx + dy * dy + dz * dz).squareRoot()
  }

  /// Partition walls between two places, where there is one every so many metres in both directions, beginning at
  /// the origin.
  public func walls(to other: Place, spacing: Double) -> Int {
    func between(_ a: Double, _ b: Double) -> Int {
      Int(abs((a / spacing).rounded(.down) - (b / spacing).rounded(.down)))
    }
    return between(x, other.x) + between(y, other.y)
  }
}
