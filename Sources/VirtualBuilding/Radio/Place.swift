/// The position of a sensor or an adapter. The obstacles between two positions follow from both: walls from
/// `RadioParameters.wallSpacing`, ceilings from `floor`.
package struct Place: Hashable, Sendable {
  /// Metres along the building, from any origin.
  package var x: Double
  /// Metres across it, from the same origin.
  package var y: Double
  /// The storey; 0 is the ground floor.
  package var floor: Int

  package init(x: Double, y: Double, floor: Int = 0) {
    self.x = x
    self.y = y
    self.floor = floor
  }

  /// The distance to another place in metres, for this storey height.
  package func distance(to other: Place, storeyHeight: Double) -> Double {
    let (dx, dy, dz) = (x - other.x, y - other.y, Double(floor - other.floor) * storeyHeight)
    return (dx * dx + dy * dy + dz * dz).squareRoot()
  }

  /// The number of partition walls between two places. The walls form a grid with this spacing in metres,
  /// starting at the origin.
  package func walls(to other: Place, spacing: Double) -> Int {
    func between(_ a: Double, _ b: Double) -> Int {
      Int(((a / spacing).rounded(.down) - (b / spacing).rounded(.down)).magnitude)
    }
    return between(x, other.x) + between(y, other.y)
  }
}
